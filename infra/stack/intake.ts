/** The intake: other programs put raw emails into an S3 bucket, and send events to an SQS queue. */
import { type CfnResource, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { LogGroup, type LogGroupProps } from "aws-cdk-lib/aws-logs";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Queue, QueueEncryption, RedrivePermission } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceName } from "../../lib/events/metrics.ts";
import { deadLetterDays, longestEventDays, queueDays, receivesWithin } from "../../lib/events/redelivery.ts";
import { itemTypes } from "../../lib/table/keys.ts";
import type { Permission } from "../../lib/table/permission.ts";
import { ServiceFunction, type SharedProps } from "./service-function.ts";
import type { Settings } from "./settings.ts";

const { message, event, marker, sender } = itemTypes;

const permissions: readonly Permission[] = [
  { call: "GetItem", on: [message, event, marker, sender] },
  { call: "PutItem", on: [message] }, // We write the content's segments before the transaction.
  { call: "DeleteItem", on: [message] }, // If the message was deleted meanwhile, we delete its segments.
  { call: "PutItem", on: [message, event], within: "TransactWriteItems" },
  { call: "UpdateItem", on: [message, marker], within: "TransactWriteItems" },
];

const timeout = Duration.minutes(2);

/**
 * AWS recommends a visibility timeout of six times the function's timeout. If the function crashes, SQS waits for the
 * visibility timeout before it delivers the events again. For a failed event, the function itself sets a shorter
 * visibility timeout.
 */
const visibilityTimeout = Duration.minutes(6 * timeout.toMinutes());

export type IntakeProps = SharedProps &
  Pick<Settings, "deadLetterMinutes" | "eventConcurrency"> & { removalPolicy: RemovalPolicy };

export class Intake extends Construct {
  readonly emails: Bucket;
  readonly events: Queue;
  readonly deadLetters: Queue;
  readonly recordEvents: ServiceFunction;
  /** Allows a program to put emails into the bucket and to send events to the queue. */
  readonly pipelinePolicy: ManagedPolicy;

  constructor(scope: Construct, id: string, props: IntakeProps) {
    super(scope, id);
    const { deadLetterMinutes, eventConcurrency, removalPolicy, ...shared } = props;
    const { key } = shared;

    this.emails = new Bucket(this, "Emails", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: key ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      ...(key && { encryptionKey: key, bucketKeyEnabled: true }), // Without a bucket key, S3 asks KMS for each object.
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        {
          expiration: Duration.days(longestEventDays), // A redriven dead letter still needs its email.
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    if (removalPolicy === RemovalPolicy.DESTROY) this.keepNoLogOfEmptying(shared.logs);
    const encryption = key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED };
    const queue = { enforceSSL: true, removalPolicy, ...encryption };
    this.deadLetters = new Queue(this, "DeadLetters", {
      ...queue,
      retentionPeriod: Duration.days(deadLetterDays),
    });
    this.events = new Queue(this, "Events", {
      ...queue,
      retentionPeriod: Duration.days(queueDays),
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: receivesWithin(60 * deadLetterMinutes) },
      // The queue of dead letters can't name this one, because each would need the other's name first.
      redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL },
    });

    this.recordEvents = new ServiceFunction(this, serviceName, {
      ...shared,
      description: "Records the events of the queue",
      file: "functions/record-events.ts",
      memoryMegabytes: 1769, // buys one vCPU; a message of 40 MiB needs several times its size
      timeout,
      permissions,
      environment: { EMAIL_BUCKET: this.emails.bucketName, EVENT_QUEUE_URL: this.events.queueUrl },
    });
    const { lambda } = this.recordEvents;
    lambda.addToRolePolicy(
      new PolicyStatement({ actions: ["s3:GetObject"], resources: [this.emails.arnForObjects("*")] }),
    );
    key?.grantDecrypt(lambda);
    lambda.addEventSource(
      new SqsEventSource(this.events, {
        batchSize: 10,
        reportBatchItemFailures: true,
        maxConcurrency: eventConcurrency,
      }),
    );

    this.pipelinePolicy = new ManagedPolicy(this, "Pipeline", {
      description: `Permissions of a sending pipeline in ${Stack.of(this).stackName}`,
      statements: [
        new PolicyStatement({ actions: ["s3:PutObject"], resources: [this.emails.arnForObjects("*")] }),
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.events.queueArn] }),
      ],
    });
    if (key) {
      // S3 needs the second call for an upload in parts, and SQS for each message.
      const actions = ["kms:GenerateDataKey", "kms:Decrypt"];
      this.pipelinePolicy.addStatements(new PolicyStatement({ actions, resources: [key.keyArn] }));
    }
  }

  /** CDK adds a function that empties the bucket; by default, that function's logs would be kept for ever. */
  private keepNoLogOfEmptying(logs: LogGroupProps) {
    const provider = Stack.of(this).node.findChild("Custom::S3AutoDeleteObjectsCustomResourceProvider");
    const { logGroupName } = new LogGroup(this, "EmptyingLog", logs);
    const handler = provider.node.findChild("Handler") as CfnResource;
    handler.addPropertyOverride("LoggingConfig", { LogGroup: logGroupName });
  }
}

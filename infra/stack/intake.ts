/** The intake: other programs put raw emails into an S3 bucket, and send events to an SQS queue. */
import { type CfnResource, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from "aws-cdk-lib/aws-s3";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceName } from "../../lib/events/metrics.ts";
import { deadLetterDays, longestEventDays, queueDays, receivesWithin } from "../../lib/events/redelivery.ts";
import { itemTypes } from "../../lib/table/keys.ts";
import type { Permission } from "../../lib/table/permission.ts";
import { ServiceFunction, type SharedProps } from "./service-function.ts";
import type { Settings } from "./settings.ts";

const { message, event, marker } = itemTypes;

const permissions: readonly Permission[] = [
  { call: "GetItem", on: [message, event, marker] },
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

/** Lambda's limits for the maximum concurrency of an event source. */
const [minimumConcurrency, maximumConcurrency] = [2, 1000];

/**
 * A new AWS account has only 10 concurrent executions and can't reserve any. If the intake's function used all 10
 * executions, Lambda would throttle the API.
 */
const defaultConcurrency = 5;

export type IntakeProps = SharedProps & Pick<Settings, "deadLetterMinutes">;

export class Intake extends Construct {
  readonly emails: Bucket;
  readonly events: Queue;
  readonly deadLetters: Queue;
  readonly recordEvents: ServiceFunction;
  /** Allows a program to put emails into the bucket and to send events to the queue. */
  readonly pipelinePolicy: ManagedPolicy;

  constructor(scope: Construct, id: string, { deadLetterMinutes, ...shared }: IntakeProps) {
    super(scope, id);
    const { removalPolicy } = shared;
    const concurrency = shared.concurrency && Math.max(minimumConcurrency, shared.concurrency);

    this.emails = new Bucket(this, "Emails", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
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
    if (removalPolicy === RemovalPolicy.DESTROY) this.keepNoLogOfEmptying();
    this.deadLetters = this.queue("DeadLetters", {
      removalPolicy,
      retentionPeriod: Duration.days(deadLetterDays),
    });
    this.events = this.queue("Events", {
      removalPolicy,
      retentionPeriod: Duration.days(queueDays),
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: receivesWithin(60 * deadLetterMinutes) },
    });

    this.recordEvents = new ServiceFunction(this, serviceName, {
      ...shared,
      concurrency,
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
    lambda.addEventSource(
      new SqsEventSource(this.events, {
        batchSize: 10,
        reportBatchItemFailures: true,
        maxConcurrency: Math.min(maximumConcurrency, concurrency ?? defaultConcurrency),
      }),
    );

    this.pipelinePolicy = new ManagedPolicy(this, "Pipeline", {
      description: `Permissions of a sending pipeline in ${Stack.of(this).stackName}`,
      statements: [
        new PolicyStatement({ actions: ["s3:PutObject"], resources: [this.emails.arnForObjects("*")] }),
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.events.queueArn] }),
      ],
    });
    this.acknowledgeRules();
  }

  /** CDK adds a function that empties the bucket; by default, that function's logs would be kept for ever. */
  private keepNoLogOfEmptying() {
    const provider = Stack.of(this).node.findChild("Custom::S3AutoDeleteObjectsCustomResourceProvider");
    const { logGroupName } = new LogGroup(this, "EmptyingLog", {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const handler = provider.node.findChild("Handler") as CfnResource;
    handler.addPropertyOverride("LoggingConfig", { LogGroup: logGroupName });
  }

  private queue(id: string, props: ConstructorParameters<typeof Queue>[2]): Queue {
    return new Queue(this, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
  }

  private acknowledgeRules() {
    Validations.of(this.emails).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only programs of this account put objects here. CloudTrail's data events can log each access.",
    });
    const reason = "All objects of a bucket that contains only raw emails.";
    const { defaultChild } = this.emails.node;
    if (!CfnBucket.isCfnBucket(defaultChild)) return;
    const id = `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(defaultChild)}.Arn>/*]`;
    for (const holder of [this.recordEvents, this.pipelinePolicy]) {
      Validations.of(holder).acknowledge({ id, reason });
    }
  }
}

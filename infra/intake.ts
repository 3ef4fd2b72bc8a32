/** A way in for messages and their events, from any program: a bucket for raw emails, and a queue for events. */
import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from "aws-cdk-lib/aws-s3";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { deadLetterDays, longestEventDays, queueDays, receivesWithin } from "../lib/intake/event-lifetime.ts";
import { serviceName } from "../lib/intake/metric-names.ts";
import { itemTypes } from "../lib/table/keys.ts";
import { type Needs, ServiceFunction, type Surroundings } from "./service-function.ts";

const { message, event, messageMarker } = itemTypes;

const needs: Needs = {
  // Storing a message of 40 MiB takes several times its size, and all of one processor.
  memoryMegabytes: 1769,
  timeout: Duration.minutes(2),
  permissions: [
    { call: "GetItem", on: [message, event, messageMarker] },
    { call: "PutItem", on: [message] }, // The segments of the content are written before the transaction.
    { call: "PutItem", on: [message, event], within: "TransactWriteItems" },
    { call: "UpdateItem", on: [message, messageMarker], within: "TransactWriteItems" },
  ],
};

/** AWS asks for six times the function's timeout. It applies after a crash. The function postpones other failures. */
const visibility = Duration.minutes(6 * needs.timeout.toMinutes());

/** Lambda's own bounds on how many batches it takes from a queue at once. */
const [leastAtOnce, mostAtOnce] = [2, 1000];

/**
 * The default for `concurrency`. A new account runs 10 functions at the same time. Without a limit, the opens of one
 * mailing would leave none for the API. Reserved concurrency is no alternative in such an account, because Lambda keeps
 * a part of every account's quota unreserved.
 */
const defaultAtOnce = 5;

export class Intake extends Construct {
  readonly emails: Bucket;
  readonly events: Queue;
  readonly deadLetters: Queue;
  readonly recordEvents: ServiceFunction;
  /** What a pipeline's role gets: it puts emails and sends events, and nothing else. */
  readonly pipelinePolicy: ManagedPolicy;

  constructor(
    scope: Construct,
    id: string,
    { deadLetterMinutes, ...surroundings }: Surroundings & { deadLetterMinutes: number },
  ) {
    super(scope, id);
    const { removalPolicy } = surroundings;
    const maxReceiveCount = receivesWithin(60 * deadLetterMinutes);
    const concurrency = surroundings.concurrency && Math.max(leastAtOnce, surroundings.concurrency);

    this.emails = new Bucket(this, "Emails", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        // A dead letter that is redriven after 14 days still needs its email.
        {
          expiration: Duration.days(longestEventDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    this.deadLetters = this.queue("DeadLetters", {
      removalPolicy,
      retentionPeriod: Duration.days(deadLetterDays),
    });
    this.events = this.queue("Events", {
      removalPolicy,
      retentionPeriod: Duration.days(queueDays),
      visibilityTimeout: visibility,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });

    this.recordEvents = new ServiceFunction(this, serviceName, {
      ...surroundings,
      concurrency,
      description: "Records what comes in by the queue",
      file: "functions/record-events.ts",
      needs,
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
        maxConcurrency: Math.min(mostAtOnce, concurrency ?? defaultAtOnce),
      }),
    );

    this.pipelinePolicy = new ManagedPolicy(this, "Pipeline", {
      description: `What a sending pipeline may do, in ${Stack.of(this).stackName}`,
      statements: [
        new PolicyStatement({ actions: ["s3:PutObject"], resources: [this.emails.arnForObjects("*")] }),
        new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.events.queueArn] }),
      ],
    });
    this.acknowledgeRules();
  }

  private queue(id: string, props: ConstructorParameters<typeof Queue>[2]): Queue {
    return new Queue(this, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
  }

  private acknowledgeRules() {
    Validations.of(this.emails).acknowledge({
      id: "AwsSolutions-S1",
      reason:
        "Programs of one account put objects here for 7 days; CloudTrail's data events name them if need be.",
    });
    const reason = "All objects of a bucket that holds nothing else.";
    const { defaultChild } = this.emails.node;
    if (!CfnBucket.isCfnBucket(defaultChild)) return;
    const id = `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(defaultChild)}.Arn>/*]`;
    for (const holder of [this.recordEvents, this.pipelinePolicy]) {
      Validations.of(holder).acknowledge({ id, reason });
    }
  }
}

/** Amazon SES reports through an SNS topic to the intake's queue, and puts received emails into the intake's bucket. */
import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnConfigurationSetEventDestination, CfnReceiptRule } from "aws-cdk-lib/aws-ses";
import { Topic } from "aws-cdk-lib/aws-sns";
import { SqsSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Intake } from "./intake.ts";
import type { Settings } from "./settings.ts";

/** Everything but `subscription`, which is about no message. Opens and clicks make SES rewrite the emails. */
const eventTypes = [
  ...["send", "delivery", "deliveryDelay", "bounce", "complaint", "reject", "renderingFailure"],
  ...["open", "click"],
];

export type SesProps = Pick<Settings, "ses" | "sesReceived"> & {
  intake: Intake;
  key: IKey | undefined;
};

export class Ses extends Construct {
  private readonly topic: Topic;

  constructor(scope: Construct, id: string, { intake, key, ses, sesReceived }: SesProps) {
    super(scope, id);
    // SES can publish to an encrypted topic only if the policy of the topic's key allows it.
    this.topic = new Topic(this, "Topic", { enforceSSL: true, ...(key && { masterKey: key }) });
    const { events, deadLetters: deadLetterQueue } = intake;
    this.topic.addSubscription(new SqsSubscription(events, { rawMessageDelivery: true, deadLetterQueue }));
    ses.forEach((configurationSet, index) => {
      this.publish(configurationSet, index);
    });
    if (sesReceived) this.receive(sesReceived, intake);
  }

  /** SES publishes a greeting as soon as it knows the topic, so it must be allowed to before. */
  private publish(configurationSetName: string, index: number) {
    this.allowToPublish(this.arnOf("configuration-set", configurationSetName));
    const destination = new CfnConfigurationSetEventDestination(this, `Published${index}`, {
      configurationSetName,
      eventDestination: {
        enabled: true,
        matchingEventTypes: eventTypes,
        snsDestination: { topicArn: this.topic.topicArn },
      },
    });
    destination.node.addDependency(this.topic);
  }

  private receive(sesReceived: string, { emails }: Intake) {
    const [ruleSet = "", domain = ""] = sesReceived.split(":");
    const name = Stack.of(this).stackName;
    const objectKeyPrefix = "ses-received/";
    const arn = this.arnOf("receipt-rule-set", `${ruleSet}:receipt-rule/${name}`);
    this.allowToPublish(arn);
    emails.addToResourcePolicy(this.statement("s3:PutObject", emails.arnForObjects(`${objectKeyPrefix}*`), arn));
    const rule = new CfnReceiptRule(this, "Received", {
      ruleSetName: ruleSet,
      rule: {
        name,
        enabled: true,
        recipients: [domain],
        scanEnabled: true,
        actions: [{ s3Action: { bucketName: emails.bucketName, objectKeyPrefix, topicArn: this.topic.topicArn } }],
      },
    });
    rule.node.addDependency(this.topic, emails);
  }

  private allowToPublish(sourceArn: string) {
    this.topic.addToResourcePolicy(this.statement("sns:Publish", this.topic.topicArn, sourceArn));
  }

  private statement(action: string, resource: string, sourceArn: string): PolicyStatement {
    return new PolicyStatement({
      principals: [new ServicePrincipal("ses.amazonaws.com")],
      actions: [action],
      resources: [resource],
      conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID, "aws:SourceArn": sourceArn } },
    });
  }

  private arnOf(resource: string, resourceName: string): string {
    const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
    return Stack.of(this).formatArn({ service: "ses", resource, resourceName, arnFormat });
  }
}

/** What an operator may set, and what each setting does to the stack. */
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../infra/settings.ts";
import { synthesise, withoutBundles } from "../harness/synthesise.ts";

const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
const alarmTopic = "arn:aws:sns:eu-west-1:123456789012:on-call";

const set = (context: Record<string, unknown>) => synthesise({ ...withoutBundles, ...context });

describe("Without a setting", () => {
  test("the stage is prod, logs are kept for 30 days, and nothing is thrown away", () => {
    expect(readSettings({ "@aws-cdk/core:checkSecretUsage": true })).toEqual({
      stage: "prod",
      logRetentionDays: 30,
      replicaRegions: [],
      removeEverything: false,
    });
  });

  test("alarms show, and notify nobody", () => {
    const { template } = set({});

    template.allResourcesProperties("AWS::CloudWatch::Alarm", { AlarmActions: Match.absent() });
  });
});

describe("A setting that can't be used is refused in one line that says what it takes", () => {
  test.each([
    [
      { stage: "Prod" },
      "stage takes up to 30 lower-case letters, digits and hyphens, the first a letter, not Prod",
    ],
    [
      { domain: "https://x.example.com" },
      "domain takes a domain name such as api.example.com, not https://x.example.com",
    ],
    [
      { certificate: "my-certificate" },
      "certificate takes the ARN of an ACM certificate in the stack's region, not my-certificate",
    ],
    [{ domain: "api.example.com" }, "domain and certificate go together: set both, or neither"],
    [{ certificate }, "domain and certificate go together: set both, or neither"],
    [
      { logRetentionDays: "31" },
      expect.stringMatching(
        /^logRetentionDays takes a number of days out of 1, 3, 5, 7, 14, 30, .*3653, not 31$/,
      ),
    ],
    [
      { alarmTopic: "on-call" },
      "alarmTopic takes the ARN of a standard SNS topic in the stack's region, not on-call",
    ],
    [
      { replicaRegions: "eu-west-1 us-west-2" },
      "replicaRegions takes regions with commas between them, such as eu-west-1,us-west-2, not eu-west-1 us-west-2",
    ],
    [{ removeEverything: "yes" }, "removeEverything takes true or false, not yes"],
    [
      { stag: "dev" },
      "There is no setting stag: the settings are stage, domain, certificate, logRetentionDays, alarmTopic, replicaRegions, removeEverything",
    ],
  ])("%j", (context, message) => {
    expect(() => readSettings(context)).toThrow(expect.objectContaining({ name: "SettingError", message }));
  });
});

describe("A setting", () => {
  test("may come from cdk.json as a number or a boolean", () => {
    expect(readSettings({ logRetentionDays: 7, removeEverything: true })).toMatchObject({
      logRetentionDays: 7,
      removeEverything: true,
    });
  });

  test("stage names the stack, the API's stage and the dashboard, so that stages do not meet", () => {
    const { stack, template } = set({ stage: "dev" });

    expect(stack.stackName).toBe("EmailApi-dev");
    template.hasResourceProperties("AWS::ApiGateway::Stage", { StageName: "dev" });
    template.hasResourceProperties("AWS::CloudWatch::Dashboard", { DashboardName: "EmailApi-dev" });
  });

  test("domain, with its certificate, is where the API answers", () => {
    const { template } = set({ domain: "api.example.com", certificate });

    template.hasResourceProperties("AWS::ApiGateway::DomainName", {
      DomainName: "api.example.com",
      RegionalCertificateArn: certificate,
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
      EndpointConfiguration: { Types: ["REGIONAL"] },
    });
    template.hasResourceProperties("AWS::ApiGateway::RestApi", { DisableExecuteApiEndpoint: true });
    template.resourceCountIs("AWS::ApiGateway::BasePathMapping", 1);
    template.hasOutput("ApiUrl", { Value: "https://api.example.com" });
    template.hasOutput("DomainTarget", {});
  });

  test("logRetentionDays holds for every log", () => {
    const { template } = set({ logRetentionDays: "365" });

    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 365 });
  });

  test("alarmTopic hears of every alarm, and of its end", () => {
    const { template } = set({ alarmTopic });

    template.allResourcesProperties("AWS::CloudWatch::Alarm", {
      AlarmActions: [alarmTopic],
      OKActions: [alarmTopic],
    });
  });

  test("replicaRegions hold a copy of the table, protected and recoverable as the table itself", () => {
    const { template } = set({ replicaRegions: "us-west-2,eu-west-1" });

    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      Replicas: ["us-west-2", "eu-west-1"].map((Region) => ({
        Region,
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      })),
    });
  });

  test("removeEverything leaves neither table nor log behind", () => {
    const { template } = set({ removeEverything: "true" });

    template.allResources("AWS::Logs::LogGroup", { DeletionPolicy: "Delete" });
    template.hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Delete",
      Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
    });
  });
});

/** The checks that only AWS can answer, where each of its parts answers as the stack makes it, and where one does not. */
import { randomUUID } from "node:crypto";
import { CloudWatchClient, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { IAMClient, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, test } from "vitest";
import { operations } from "../../lib/api/operations.ts";
import { type CapturedOutput, captureOutput } from "../harness/captured-output.ts";
import { type Permission, permissionFor, permissionsOf } from "../harness/permissions.ts";
import { startService, table } from "../harness/service.ts";
import { functionOf, templateWith } from "../harness/synthesise.ts";
import { openAws } from "./aws.ts";
import { type Result, runChecks } from "./checklist.ts";
import { awsChecks } from "./checks/aws.ts";
import { openService } from "./service.ts";

const roleArn = (operation: string) => `arn:aws:iam::123456789012:role/${operation}`;

const outputs = {
  MetricNamespace: "EmailApi/test",
  ...Object.fromEntries(
    operations.flatMap(({ id }) => [
      [`${id}RoleArn`, roleArn(id)],
      [`${id}LogGroup`, `/log/${id}`],
    ]),
  ),
};

let output: CapturedOutput;
let granted: Map<string, Permission[]>;
/** What the logs hold, by the time that they are asked for the nth time. */
let written: (asked: number) => string[];
let arrived: number;

/** IAM, by the policies of the template; CloudWatch, by what the functions have written. */
beforeEach(() => {
  output = captureOutput();
  const template = templateWith();
  granted = new Map(
    operations.map((operation) => [
      roleArn(operation.id),
      permissionsOf(template, functionOf(template, operation)),
    ]),
  );
  written = () => output.text().trim().split("\n");
  arrived = 1;

  const iam = mockClient(IAMClient);
  iam.on(SimulatePrincipalPolicyCommand).callsFake(({ PolicySourceArn, ActionNames, ContextEntries }) => {
    const context = new Map<string, string>(
      ContextEntries.map(({ ContextKeyName = "", ContextKeyValues: [value] = [""] }) => [
        ContextKeyName,
        value,
      ]),
    );
    const call = {
      action: ActionNames[0],
      key: context.get("dynamodb:LeadingKeys") ?? "",
      within: context.get("dynamodb:EnclosingOperation"),
    };
    const allowed = permissionFor(granted.get(PolicySourceArn) ?? [], call);
    return { EvaluationResults: [{ EvalDecision: allowed ? "allowed" : "implicitDeny" }] };
  });

  let asked = 0;
  const logs = mockClient(CloudWatchLogsClient);
  logs.on(FilterLogEventsCommand).callsFake(({ logGroupName, filterPattern }) => {
    const sought = /request_id = "(.+)"/.exec(filterPattern)?.[1] ?? /emk_|@example/;
    const events = written(asked++)
      .filter((line) => line.includes(`"service":"${logGroupName.slice("/log/".length)}"`))
      .filter((line) => line.match(sought) && !line.includes("_aws"))
      .map((message) => ({ message }));
    return { events };
  });

  const cloudWatch = mockClient(CloudWatchClient);
  cloudWatch
    .on(GetMetricStatisticsCommand)
    .callsFake(({ Namespace, MetricName, Dimensions: [{ Name, Value }] }) => {
      if (Name !== "service" || MetricName === "TimeToFirstByte")
        return { Datapoints: loggedByGateway(Name, Value).slice(0, arrived) };
      const counted = output
        .lines()
        .filter((line) => line._aws?.CloudWatchMetrics[0].Namespace === Namespace && line.service === Value)
        .filter((line) => MetricName in line);
      return { Datapoints: counted.slice(0, arrived).map((line) => ({ Sum: line[MetricName] })) };
    });

  return () => {
    output.restore();
    for (const client of [iam, logs, cloudWatch]) client.restore();
  };
});

/** What CloudWatch Logs counts in API Gateway's log, which has a line for each that a function writes. */
const loggedByGateway = (dimension: string, value: string): { Sum: number }[] =>
  output
    .lines()
    .filter(({ message }) => message === "request")
    .filter(({ operation: id, status }) => {
      const operation = operations.find((one) => one.id === id);
      const logged = { service: operation?.id, status: String(status) };
      return logged[dimension as keyof typeof logged] === value;
    })
    .map(() => ({ Sum: 1 }));

const check = async (of?: Record<string, string>): Promise<Result[]> => {
  const url = await startService(Date.now);
  const service = openService({ url, table, outputs: of });
  const group = await awsChecks(service, (since) => openAws(since, { tries: 3, pause: 10 }));
  return runChecks([group], () => {});
};

const failed = (results: Result[]) => results.filter(({ outcome }) => outcome === "FAILS");

test("All of them hold for the stack as it is", async () => {
  const results = await check(outputs);

  expect(failed(results)).toEqual([]);
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(9).fill("holds"));
});

test("A line and a count that arrive late are waited for", async () => {
  written = (asked) => (asked % 3 < 2 ? [] : output.text().trim().split("\n"));

  expect(failed(await check(outputs))).toEqual([]);
});

test.each([
  ["GetMessage", "dynamodb:DeleteItem", "MESSAGE#", "DeleteItem on MESSAGE"],
  ["AddAccountMember", "dynamodb:PutItem", "ACCOUNT#", "PutItem on ACCOUNT"],
  ["AddAccountMember", "dynamodb:Scan", "", "Scan on no key"],
])("A role of %s that may %s on %s is found", async (operation, action, prefix, sentence) => {
  granted.get(roleArn(operation))?.push({ action, prefix, within: undefined });

  const failures = failed(await check(outputs));

  expect(failures.map(({ check }) => check)).toEqual([
    `${operation}'s role is refused the calls next to them`,
  ]);
  expect(failures[0]?.note).toContain(sentence);
});

test("A role that lacks a permission is found, with the call that it refuses", async () => {
  granted.get(roleArn("AddAccountMember"))?.pop();

  const failures = failed(await check(outputs));

  expect(failures.map(({ check }) => check)).toEqual([
    "AddAccountMember's role may make the calls that it makes",
  ]);
  expect(failures[0]?.note).toContain("PutItem on IDEMPOTENCY in a transaction");
});

test("A log without the request's line, and one with two, is found", async () => {
  written = (asked) =>
    asked < 3
      ? []
      : output
          .text()
          .trim()
          .split("\n")
          .flatMap((line) => [line, line]);

  expect(failed(await check(outputs)).map(({ check }) => check)).toEqual([
    "GetMessage leaves one line in its log, under its X-Request-Id",
    "AddAccountMember leaves one line in its log, under its X-Request-Id",
  ]);
});

test.each([`emk_${randomUUID()}`, "ada@example.com"])("A log that holds %s is found", async (leaked) => {
  written = () => [...output.text().trim().split("\n"), JSON.stringify({ leaked, service: "GetMessage" })];

  expect(failed(await check(outputs)).map(({ check }) => check)).toEqual([
    "No log has a key or an address in it",
  ]);
});

test("Counts that never arrive are found", async () => {
  arrived = 0;

  const failures = failed(await check(outputs));

  expect(failures.map(({ check }) => check)).toEqual([
    "What alarms hear of by API Gateway's log is counted: the first byte of a response, and a 401",
    "A replay and a reused Idempotency-Key are counted",
  ]);
  for (const { note } of failures) expect(note).toMatch(/^not within/);
});

test("Where there is no stack, or one of before these outputs, they are skipped, and say why", async () => {
  const none = await check(undefined);
  const old = await check({ ApiUrl: "https://api.example.com" });

  expect(new Set(none.map(({ outcome, note }) => `${outcome}: ${note}`))).toEqual(
    new Set(["skipped: this is no stack of cdk.out/outputs.json"]),
  );
  expect(old.map(({ outcome }) => outcome)).toEqual(Array(9).fill("skipped"));
  expect(old[0]?.note).toBe("the stack has no output GetMessageRoleArn: deploy it again");
});

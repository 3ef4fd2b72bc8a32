/** What only AWS can say: what the functions' roles may do, what their logs hold, and what they have counted. */
import { equal, match, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { type LogMetric, rejections, timeToFirstByte } from "../../../infra/log-metrics.ts";
import { metricNames } from "../../../lib/api/metric-names.ts";
import { getMessage as getMessageOperation, type OperationId } from "../../../lib/api/operations.ts";
import { requestIdHeader } from "../../../lib/api/response.ts";
import {
  apiKeyKey,
  apiKeyListingKey,
  idempotencyRecordKey,
  memberKey,
  messagePartition,
  userKey,
} from "../../../lib/table/keys.ts";
import { openAws, type TableCall } from "../aws.ts";
import { type Group, skip } from "../checklist.ts";
import { expectStatus } from "../expect.ts";
import type { Answer } from "../request.ts";
import type { Service } from "../service.ts";

const id = randomUUID();
const key = {
  apiKey: apiKeyKey(id).pk,
  listing: apiKeyListingKey(id, id).pk,
  message: messagePartition(id, id),
  user: userKey("ada@example.com").pk,
  account: memberKey(id, id).pk,
  record: idempotencyRecordKey(id, "once").pk,
};

const within = "TransactWriteItems";

/** Of all calls, those that an operation makes, and the nearest to them that it does not make. */
const calls: Record<OperationId, { made: TableCall[]; never: TableCall[] }> = {
  GetMessage: {
    made: [
      { action: "GetItem", key: key.apiKey },
      { action: "Query", key: key.message },
    ],
    never: [
      { action: "GetItem", key: key.user },
      { action: "Query", key: key.account },
      { action: "Query", key: key.listing },
      { action: "Query" },
      { action: "Scan" },
      { action: "PutItem", key: key.message },
      { action: "PutItem", key: key.message, within },
      { action: "UpdateItem", key: key.message },
      { action: "DeleteItem", key: key.message },
    ],
  },
  AddAccountMember: {
    made: [
      { action: "GetItem", key: key.apiKey },
      { action: "GetItem", key: key.user },
      { action: "GetItem", key: key.account },
      { action: "GetItem", key: key.record },
      { action: "PutItem", key: key.user, within },
      { action: "PutItem", key: key.account, within },
      { action: "PutItem", key: key.record, within },
    ],
    never: [
      { action: "GetItem", key: key.message },
      { action: "Query", key: key.account },
      { action: "Scan" },
      { action: "PutItem", key: key.account },
      { action: "PutItem", key: key.apiKey, within },
      { action: "PutItem", key: key.message, within },
      { action: "UpdateItem", key: key.account },
      { action: "DeleteItem", key: key.account },
    ],
  },
};

const operations = Object.keys(calls) as OperationId[];

const spell = ({ action, key = "no key", within }: TableCall): string =>
  `${action} on ${key.split("#")[0]}${within ? " in a transaction" : ""}`;

const spellAll = (calls: TableCall[]): string => calls.map(spell).join(", ");

/** @param open replaces the wait for what takes its time on AWS, in a test */
export const awsChecks = async (service: Service, open = openAws): Promise<Group> => {
  const { table, newKey, newMessage, getMessage, newEmail, addMember, account_id } = service;
  const since = new Date();
  const output = (name: string): string => {
    const outputs = service.outputs ?? skip("this is no stack of cdk.out/outputs.json");
    return outputs[name] ?? skip(`the stack has no output ${name}: deploy it again`);
  };
  const aws = open(since);
  const { secret, id: key_id } = await newKey();

  const tableArn = async (): Promise<string> => {
    const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
    return Table?.TableArn ?? "";
  };
  const allowed = async (operation: OperationId, of: TableCall[]): Promise<boolean[]> => {
    const role = output(`${operation}RoleArn`);
    const arn = await tableArn();
    return Promise.all(of.map((call) => aws.mayCall(role, arn, call)));
  };

  const permissionChecks = operations.flatMap((operation) => [
    {
      promise: `${operation}'s role may make the calls that it makes`,
      run: async () => {
        const { made } = calls[operation];
        const may = await allowed(operation, made);
        const refused = made.filter((_, index) => !may[index]);
        equal(refused.length, 0, `it may not: ${spellAll(refused)}`);
      },
    },
    {
      promise: `${operation}'s role is refused the calls next to them`,
      run: async () => {
        const { never } = calls[operation];
        const may = await allowed(operation, never);
        const granted = never.filter((_, index) => may[index]);
        equal(granted.length, 0, `it may: ${spellAll(granted)}`);
        return `refused are ${spellAll(never)}`;
      },
    },
  ]);

  const member = () => ({ email: newEmail(), role: "Developer" });
  const requests: Record<OperationId, () => Promise<Answer>> = {
    GetMessage: async () => getMessage(secret, await newMessage(Buffer.from("Subject: Hello\r\n\r\nHello"))),
    AddAccountMember: () => addMember(secret, member()),
  };

  const logChecks = operations.map((operation) => ({
    promise: `${operation} leaves one line in its log, under its ${requestIdHeader}`,
    run: async () => {
      const logGroup = output(`${operation}LogGroup`);
      const answer = await requests[operation]();
      const status = operation === "GetMessage" ? 200 : 201;
      expectStatus(answer, status);
      const request_id = String(answer.headers[requestIdHeader.toLowerCase()]);

      const lines = await aws.eventually(
        () => aws.linesOf(logGroup, `{ $.message = "request" && $.request_id = "${request_id}" }`),
        ({ length }) => length > 0,
      );

      equal(lines.length, 1, `there are ${lines.length}`);
      const line = JSON.parse(lines[0] ?? "");
      for (const [field, value] of Object.entries({ operation, account_id, key_id, status })) {
        equal(line[field], value, `${field} is ${line[field]}`);
      }
      ok(line.duration_ms > 0 && line.consumed_capacity > 0, `the line is ${lines[0]}`);
      return `${line.duration_ms} ms, ${line.consumed_capacity} capacity units`;
    },
  }));

  return {
    name: "AWS",
    checks: [
      ...permissionChecks,
      ...logChecks,
      {
        promise: "No log has a key or an address in it",
        run: async () => {
          const logGroups = operations.map((operation) => output(`${operation}LogGroup`));
          const found = await Promise.all(logGroups.map((group) => aws.linesOf(group, "%emk_|@example%")));
          equal(found.flat().length, 0, "a line has one");
        },
      },
      {
        promise:
          "What alarms hear of by API Gateway's log is counted: the first byte of a response, and a 401",
        run: async () => {
          const namespace = output("MetricNamespace");
          expectStatus(await requests.GetMessage(), 200);
          expectStatus(await getMessage(null, randomUUID()), 401);

          const logged: [LogMetric, string][] = [
            [timeToFirstByte, getMessageOperation.id],
            [rejections, "401"],
          ];
          for (const [{ name, dimension }, value] of logged) {
            await aws.eventually(
              () => aws.sumOf(namespace, name, { Name: dimension, Value: value }),
              (sum) => sum > 0,
            );
          }
        },
      },
      {
        promise: "A replay and a reused Idempotency-Key are counted",
        run: async () => {
          const namespace = output("MetricNamespace");
          const key = randomUUID();
          const body = member();
          const answers = [
            await addMember(secret, body, { key }),
            await addMember(secret, body, { key }),
            await addMember(secret, { ...body, role: "Analyst" }, { key }),
          ];
          match(answers.map(({ status }) => status).join(" "), /^201 201 422$/);

          for (const metric of [metricNames.replay, metricNames.payloadMismatch]) {
            await aws.eventually(
              () => aws.sumOf(namespace, metric, { Name: "service", Value: "AddAccountMember" }),
              (sum) => sum > 0,
            );
          }
        },
      },
    ],
  };
};

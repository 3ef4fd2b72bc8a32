/** What the deployed checks do with a stack that is wrong: a run against a correct one never shows it. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { ThrottlingException } from "@aws-sdk/client-dynamodb";
import { IAMClient, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, onTestFinished, test } from "vitest";
import { permissionsOf } from "../../infra/stack/permissions.ts";
import { getMessage, operations } from "../../lib/http/operations.ts";
import { listItems } from "../../lib/table/list.ts";
import { interceptedTable } from "../harness/intercepted-table.ts";
import { listen } from "../harness/listen.ts";
import { type Permission, permissionFor, rolePermissions } from "../harness/permissions.ts";
import { table } from "../harness/service.ts";
import { functionOf, templateWith } from "../harness/synthesise.ts";
import { allowedCalls, grantedCalls } from "./aws/aws.ts";
import { deletePartitions, openService } from "./service.ts";

const roleArn = "arn:aws:iam::123456789012:role/operation";
const tableArn = "arn:aws:dynamodb:eu-west-1:123456789012:table/email-api";

/** An IAM that knows the policies of the template, plus others. */
const simulateIam = (operation: (typeof operations)[number], others: Permission[] = []): void => {
  const template = templateWith();
  const granted = [...rolePermissions(template, functionOf(template, operation)), ...others];
  const iam = mockClient(IAMClient);
  onTestFinished(() => iam.restore());
  iam.on(SimulatePrincipalPolicyCommand).callsFake(({ ActionNames, ContextEntries }) => {
    const context = new Map<string, string>(
      ContextEntries.map(({ ContextKeyName = "", ContextKeyValues: [value] = [""] }) => [ContextKeyName, value]),
    );
    const key = context.get("dynamodb:LeadingKeys") ?? "";
    const within = context.get("dynamodb:EnclosingOperation");
    const EvaluationResults = ActionNames.map((action: string) => ({
      EvalActionName: action,
      EvalDecision: permissionFor(granted, { action, key, within }) ? "allowed" : "implicitDeny",
    }));
    return { EvaluationResults };
  });
};

test.for(operations)("IAM allows $id exactly the calls in the table of operations", async (operation) => {
  simulateIam(operation);
  expect(await allowedCalls(roleArn, tableArn)).toEqual(grantedCalls(permissionsOf(operation)));
});

test.for([
  ["dynamodb:DeleteItem", "MESSAGE#", "DeleteItem on MESSAGE#"],
  ["dynamodb:Scan", "", "Scan on no key"],
] as const)("A role that also allows %s on %s fails the check", async ([action, prefix, name]) => {
  simulateIam(getMessage, [{ action, prefix, within: undefined }]);
  expect(await allowedCalls(roleArn, tableArn)).toContain(name);
  expect(grantedCalls(permissionsOf(getMessage))).not.toContain(name);
});

const fill = async (pk: string, items: number): Promise<void> => {
  for (let item = 0; item < items; item++) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { pk, sk: `ITEM#${item}` } }));
  }
};
const remaining = (pk: string) => listItems(table, { pk, sk: "ITEM" });

test("The clean-up retries throttled deletes, three at a time", async () => {
  const pk = randomUUID();
  await fill(pk, 20);
  let [calls, running, most] = [0, 0, 0];
  const throttled = interceptedTable(table, async (command, proceed) => {
    if (command.constructor.name !== "DeleteCommand") return proceed();
    if (calls++ % 2 === 0) throw new ThrottlingException({ $metadata: {}, message: "throttled" });
    most = Math.max(most, ++running);
    await proceed();
    running--;
  });
  await deletePartitions(throttled, [pk]);
  expect(await remaining(pk)).toEqual([]);
  expect(most).toBeLessThanOrEqual(3);
});

test("The clean-up finishes all partitions before it reports an error", async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await fill(first, 2);
  await fill(second, 2);
  const failing = interceptedTable(table, (command, proceed) => {
    if (JSON.stringify(command.input).includes(`${first}","sk":"ITEM#0`)) throw new Error("The network failed");
    return proceed();
  });
  await expect(deletePartitions(failing, [first, second])).rejects.toThrow("Partitions that are not deleted: 1");
  expect(await remaining(second)).toEqual([]);
});

test("A request is sent again after a 429 and after a 5xx", async () => {
  const statuses = [429, 503, 200];
  const port = await listen(createServer((_, response) => response.writeHead(statuses.shift() ?? 500).end()));
  const service = openService({ url: `http://127.0.0.1:${port}`, table });
  expect((await service.call("/", null)).status).toBe(200);
});

/** The support desk with the permissions of its policy, on the real engine. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { tableSource } from "../../../infra/page/table-source.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { newMessage, table } from "../../harness/service.ts";
import { everySetting, ofType, templateWith } from "../../harness/synthesise.ts";

type Statement = { Action: string | string[]; Resource: unknown; Condition?: Record<string, Record<string, unknown>> };

const policyOf = (settings: Record<string, unknown>) => {
  const policies = ofType(templateWith(settings), "AWS::IAM::ManagedPolicy");
  const [policy] = policies.filter(({ Properties }) => /support desk/.test(Properties.Description));
  return policy?.Properties;
};

/** As `dynamodb:Query of PERSON#* in the index`. */
const namesOf = (statements: Statement[]): string[] =>
  statements.flatMap(({ Action, Resource, Condition = {} }) => {
    const keys = Condition["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] ?? ["*"];
    expect(Condition.Null ?? { "dynamodb:LeadingKeys": "false" }).toEqual({ "dynamodb:LeadingKeys": "false" });
    const where = JSON.stringify(Resource).includes("/index/person") ? " in the index" : "";
    return [Action].flat().map((action) => `${action} of ${keys}${where}`);
  });

test("Every call of the desk has a permission, and every permission is used", async () => {
  const policy = policyOf({ stage: "dev" });
  const used = new Set<string>();
  const watched = interceptedTable(table, ({ constructor: { name }, input }, proceed) => {
    const values = (input.ExpressionAttributeValues ?? {}) as Record<string, string>;
    const key = values[":pk"] ?? values[":person"] ?? (input.Key as { pk: string } | undefined)?.pk ?? "";
    const action = name === "GetCommand" ? "GetItem" : name.replace("Command", "");
    used.add(`dynamodb:${action} of ${key.split("#")[0]}#*${input.IndexName ? " in the index" : ""}`);
    return proceed();
  });
  const account_id = randomUUID();
  const recipient = `${randomUUID()}@example.org`;
  const message = newMessage({ account_id, recipient, retain_until: new Date(Date.now() + 1e9) });
  const raw = Buffer.from(`Subject: Hello\r\n\r\n${Array.from({ length: 60_000 }, () => randomUUID()).join("")}`);
  await storeMessage(table, message, raw, Date.now());
  const source = tableSource(watched);

  expect((await source.search?.({ address: recipient }))?.messages).toHaveLength(1);
  expect(await source.readEmail(message, {} as never)).toEqual(raw);

  const allowed = namesOf(policy?.PolicyDocument.Statement).filter((name) => name.startsWith("dynamodb:"));
  expect([...used].filter((name) => !allowed.includes(name))).toEqual([]);
  expect(allowed).toEqual([
    "dynamodb:Query of PERSON#* in the index",
    "dynamodb:GetItem of MESSAGE#*",
    "dynamodb:Query of MESSAGE#*",
  ]);
});

test("It has a name that IAM Identity Center can attach, and reads with the customer's key but never writes", () => {
  const policy = policyOf(everySetting);

  expect(JSON.stringify(policy?.ManagedPolicyName)).toContain("EmailApi-dev-Desk-");
  const actions = policy?.PolicyDocument.Statement.flatMap(({ Action }: Statement) => Action);
  expect(actions).toEqual([
    "dynamodb:Query",
    "dynamodb:GetItem",
    "dynamodb:Query",
    "cloudformation:DescribeStacks",
    "kms:Decrypt",
    "kms:DescribeKey",
  ]);
});

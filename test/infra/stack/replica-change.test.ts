/** A change of `replicaRegions` on a deployed stack. */
import { createServer } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { checkReplicaChange, readDeployedTemplate } from "../../../infra/stack/replica-change.ts";
import { listen } from "../../harness/listen.ts";
import { run } from "../../harness/process.ts";
import { cdkJson, templateWith, withoutBundles } from "../../harness/synthesise.ts";

const templateOf = (settings: Record<string, string>) => templateWith(settings).toJSON();
const none = templateOf({});
const west = templateOf({ replicaRegions: "us-west-2" });
const both = templateOf({ replicaRegions: "us-west-2,eu-central-1" });

describe("A deployment", () => {
  test.each([
    ["no stack", {}, both],
    ["no replica", none, none],
    ["no replica", none, west],
    ["one replica", west, none],
    ["one replica", west, both],
    ["a table of its own", both, templateOf({ tableName: "EmailApi-prod-restored" })],
  ])("after one with %s may change one region", (_, deployed, next) => {
    expect(() => checkReplicaChange(deployed, next)).not.toThrow();
  });

  test.each([
    [none, both, "us-west-2, eu-central-1"],
    [both, none, "us-west-2, eu-central-1"],
    [west, templateOf({ replicaRegions: "eu-central-1" }), "us-west-2, eu-central-1"],
  ])("must not change two regions", (deployed, next, regions) => {
    expect(() => checkReplicaChange(deployed, next)).toThrow(
      `replicaRegions may gain or lose one region per deployment, not 2: ${regions}`,
    );
  });

  test.each([
    ["the table", { replicaRegions: "us-west-2", removeEverything: "true" }, /but Table\w+ changes too/],
    ["another resource", { replicaRegions: "us-west-2", logRetentionDays: "7" }, /but \w+Log\w+ changes too/],
    ["a new resource", { replicaRegions: "us-west-2", keyRateLimit: "600" }, /but \w+ changes too/],
  ])("must not change a region and %s", (_, settings, message) => {
    expect(() => checkReplicaChange(none, templateOf(settings))).toThrow(message);
  });
});

/** Starts a CloudFormation with one stack, or with none. Returns its URL. */
const startCloudFormation = async (template?: object): Promise<string> => {
  const escaped = JSON.stringify(template)?.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const [status, body] = template
    ? [200, `<R><GetTemplateResult><TemplateBody>${escaped}</TemplateBody></GetTemplateResult></R>`]
    : [400, "<R><Error><Code>ValidationError</Code><Message>Stack does not exist</Message></Error></R>"];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "Content-Type": "text/xml" }).end(body);
  });
  return `http://127.0.0.1:${await listen(server)}`;
};

test("The template of a deployed stack is read, and a new stack has none", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", await startCloudFormation(none));
  expect(await readDeployedTemplate("EmailApi-prod", "eu-west-1")).toEqual(none);

  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", await startCloudFormation());
  expect(await readDeployedTemplate("EmailApi-prod", "eu-west-1")).toEqual({});
});

test("The CDK app compares with the deployed stack, and ends with one line if the change is too large", async () => {
  const context = { ...cdkJson.context, ...withoutBundles, replicaRegions: "us-west-2,eu-central-1" };

  const outcome = await run("node infra/app.ts", {
    variables: {
      CDK_CONTEXT_JSON: JSON.stringify(context),
      CDK_VALIDATION: "false",
      CDK_DEFAULT_REGION: "eu-west-1",
      CDK_DEFAULT_ACCOUNT: "123456789012",
      AWS_ENDPOINT_URL_CLOUDFORMATION: await startCloudFormation(none),
      AWS_ACCESS_KEY_ID: "any",
      AWS_SECRET_ACCESS_KEY: "any",
    },
  });

  expect(outcome).toMatchObject({
    status: 1,
    stderr: "replicaRegions may gain or lose one region per deployment, not 2: us-west-2, eu-central-1\n",
  });
});

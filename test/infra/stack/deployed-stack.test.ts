/** What a deployment reads of the deployed stack, and what it makes of a stack that isn't there yet. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readDeployedStack } from "../../../infra/stack/deployed-stack.ts";
import { runApp, type StackState, startCloudFormation } from "../../harness/cloudformation.ts";
import { synthesise, templateWith, withoutBundles } from "../../harness/synthesise.ts";

const own = templateWith().toJSON();

const read = async (state: StackState) => {
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", await startCloudFormation(state));
  return readDeployedStack("EmailApi-prod", "eu-west-1");
};

test.each([
  ["no stack", {}, true],
  ["a change set that nobody has executed", { status: "REVIEW_IN_PROGRESS" }, true],
  ["a creation that failed and was not rolled back", { status: "CREATE_FAILED" }, true],
  ["what a failed creation left", { status: "ROLLBACK_COMPLETE", template: own }, true],
  ["what not even the rollback of a creation removed", { status: "ROLLBACK_FAILED", template: own }, true],
  ["a stack", { status: "CREATE_COMPLETE", isProtected: true, template: own }, false],
  ["a stack whose last update failed", { status: "UPDATE_ROLLBACK_COMPLETE", template: own }, false],
])("With %s, isNew is %s", async (_, state, isNew) => {
  expect(await read(state)).toEqual({ isNew, template: isNew ? {} : own });
});

test("A failed creation that is protected ends the deployment with the command that clears the way", async () => {
  await expect(read({ status: "ROLLBACK_COMPLETE", isProtected: true })).rejects.toThrow(
    /update-termination-protection --no-enable-termination-protection --stack-name EmailApi-prod$/,
  );
});

test.each([
  ["AccessDenied", "Not authorized"],
  ["AccessDenied", "The role x does not exist"],
  ["ValidationError", "Not valid"],
] as const)(
  "A stack that can't be read ends the deployment, and the error names the permissions: %s, %s",
  async (...error) => {
    await expect(read({ error: [...error] })).rejects.toThrow(
      `nothing was changed. cloudformation:DescribeStacks and GetTemplate must be allowed. ${error[1]}`,
    );
  },
);

test("Commands that deploy nothing, such as cdk destroy, compare with no stack", async () => {
  const asked: string[] = [];
  const state = { status: "CREATE_COMPLETE", template: templateWith({ intake: "true" }).toJSON() };

  const { status, stderr } = await runApp(state, { "aws:cdk:bundling-stacks": [] }, {}, asked);

  expect({ status, stderr, asked }).toEqual({ status: 0, stderr: "", asked: [] });
});

const protectionOf = (template: object) => [
  ...new Set(
    JSON.stringify(template)
      .match(/"DeletionProtectionEnabled":\w+/g)
      ?.map((found) => found.split(":")[1]),
  ),
];

test("A first deployment protects nothing, so that it can be repeated, and the next one protects all", async () => {
  const protectionWith = async (state: StackState) => {
    const { status, folder } = await runApp(state);
    expect(status).toBe(0);
    const [artifact] = Object.values<{ properties?: { terminationProtection?: boolean } }>(
      JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")).artifacts,
    ).filter(({ properties }) => properties && "templateFile" in properties);
    const template = JSON.parse(readFileSync(join(folder, "EmailApi-prod.template.json"), "utf8"));
    return [
      artifact?.properties?.terminationProtection ?? false,
      protectionOf(template),
      "IsUnprotected" in template.Outputs,
    ];
  };

  expect(await protectionWith({})).toEqual([false, ["false"], true]);
  expect(await protectionWith({ status: "ROLLBACK_COMPLETE", template: own })).toEqual([false, ["false"], true]);
  expect(await protectionWith({ status: "CREATE_COMPLETE", template: own })).toEqual([true, ["true"], false]);
});

test.each([
  ["Without credentials the template is protected", {}, false, true, ["true"]],
  ["removeEverything protects nothing", { removeEverything: "true" }, false, false, ["false"]],
  ["A new stack with removeEverything stays so", { removeEverything: "true" }, true, false, ["false"]],
])("%s: the stack and each resource alike", (_, settings, isNew, isProtected, values) => {
  const { stack, template } = synthesise({ ...withoutBundles, intake: "true", ...settings }, undefined, isNew);

  expect(stack.terminationProtection).toBe(isProtected);
  expect(protectionOf(template.toJSON())).toEqual(values);
  expect(template.toJSON().Outputs).not.toHaveProperty("IsUnprotected");
});

test("A rollback deletes what it has just created, but nothing that was deployed before is ever deleted", () => {
  const { Resources } = templateWith({ intake: "true" }).toJSON();
  const lasting = /^AWS::(DynamoDB::GlobalTable|Logs::LogGroup|S3::Bucket|SQS::Queue)$/;
  const policies = Object.keys(Resources)
    .filter((id) => lasting.test(Resources[id].Type))
    .map((id) => [Resources[id].DeletionPolicy, Resources[id].UpdateReplacePolicy]);

  expect(policies.length).toBeGreaterThan(7);
  expect(new Set(policies.map(String))).toEqual(new Set(["RetainExceptOnCreate,Retain"]));
});

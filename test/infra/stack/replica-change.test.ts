/** A change of `replicaRegions` on a deployed stack. */
import { describe, expect, test } from "vitest";
import { checkReplicaChange } from "../../../infra/stack/replica-change.ts";
import { runApp } from "../../harness/cloudformation.ts";
import { templateWith } from "../../harness/synthesise.ts";

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

  test("must not change a region and the index", () => {
    const withoutIndex = structuredClone(none);
    delete withoutIndex.Resources.TableCD117FA1.Properties.GlobalSecondaryIndexes;

    expect(() => checkReplicaChange(withoutIndex, west)).toThrow(/but Table\w+ changes too/);
    expect(() => checkReplicaChange(withoutIndex, none)).not.toThrow();
  });

  test("must not change a region and remove a resource", () => {
    const withTopic = { ...none, Resources: { ...none.Resources, Removed: { Type: "AWS::SNS::Topic" } } };

    expect(() => checkReplicaChange(withTopic, west)).toThrow(/but Removed changes too/);
  });

  test("may change a region and CDK's list of what the stack uses", () => {
    const CDKMetadata = { Type: "AWS::CDK::Metadata", Properties: { Analytics: "x" } };
    const withMetadata = { ...west, Resources: { ...west.Resources, CDKMetadata } };

    expect(() => checkReplicaChange(none, withMetadata)).not.toThrow();
  });

  test.each([
    ["the table", { replicaRegions: "us-west-2", removeEverything: "true" }, /but Table\w+ changes too/],
    ["another resource", { replicaRegions: "us-west-2", logRetentionDays: "7" }, /but \w+Log\w+ changes too/],
    ["a new resource", { replicaRegions: "us-west-2", keyRateLimit: "600" }, /but \w+ changes too/],
  ])("must not change a region and %s", (_, settings, message) => {
    expect(() => checkReplicaChange(none, templateOf(settings))).toThrow(message);
  });
});

test("The CDK app compares with the deployed stack, and ends with one line if the change is too large", async () => {
  const outcome = await runApp(
    { status: "CREATE_COMPLETE", template: none },
    { replicaRegions: "us-west-2,eu-central-1" },
  );

  expect(outcome).toMatchObject({
    status: 1,
    stderr: "replicaRegions may gain or lose one region per deployment, not 2: us-west-2, eu-central-1\n",
  });
});

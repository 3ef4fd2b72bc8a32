/** `npm run bench`: our figures beside their floors and peers, on the embedded engine and the deployed bundles. */
import { parseArgs } from "node:util";
import { localEnvironment } from "../../infra/cli/local-environment.ts";
import { UserError } from "../../infra/cli/user-error.ts";
import { startEngine } from "../../infra/local/engine.ts";
import { runtimeClient } from "../lambda/runtime-client.ts";
import { bundleAll } from "./bundles.ts";
import { measureBundles, measureColdStarts } from "./measure/cold-start.ts";
import { measureCosts } from "./measure/costs.ts";
import * as reads from "./measure/get-message.ts";
import { measureGrowth } from "./measure/growth.ts";
import { sizes, type Workload } from "./measure/workload.ts";
import * as writes from "./measure/writes.ts";
import { startNetwork } from "./network.ts";
import { isMissed, type Row, toJson, toTable } from "./row.ts";
import { storeEmails, tables } from "./stored.ts";

const { json, tolerance } = parseArgs({ options: { json: { type: "boolean" }, tolerance: { type: "string" } } }).values;

const tell = (text: string): void => {
  if (!json) console.error(`${Math.round(performance.now() / 1000)} s: ${text}`);
};

/** Without the tools to build AWS's runtime client, the report has all other rows. */
const coldStarts = async (workload: Workload): Promise<Row[]> => {
  try {
    return await measureColdStarts(workload, runtimeClient(tell));
  } catch (error) {
    console.error(`Cold starts were not measured: ${error instanceof Error ? error.message : error}`);
    return [];
  }
};

const measurements: Record<string, (workload: Workload) => Promise<Row[]>> = {
  bundles: measureBundles,
  "cold starts": coldStarts,
  "warm requests": reads.measureWarm,
  compressed: reads.measureCompressed,
  "large emails": reads.measureLarge,
  "stored bytes": reads.measureAsStored,
  fields: reads.measureFields,
  build: reads.measureBuild,
  growth: measureGrowth,
  members: writes.measureMembers,
  storing: writes.measureStoring,
  events: writes.measureEvents,
  import: writes.measureImport,
  costs: measureCosts,
};

const bench = async (): Promise<void> => {
  const engine = await startEngine();
  Object.assign(process.env, localEnvironment(engine.port), tables);
  tell("bundling");
  const { bundles, remove } = await bundleAll();
  const network = await startNetwork(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  try {
    tell("storing emails");
    const acrossNetwork = { AWS_ENDPOINT_URL_DYNAMODB: network.url };
    const workload = { bundles, acrossNetwork, ...(await storeEmails(sizes)) };
    const rows: Row[] = [];
    for (const [name, measure] of Object.entries(measurements)) {
      tell(name);
      const measured = await measure(workload);
      if (json) for (const row of measured) console.log(toJson(row));
      rows.push(...measured);
    }
    tell("done");
    if (!json) console.log(toTable(rows, new Date()));
    const missed = tolerance ? rows.filter((row) => isMissed(row, Number(tolerance))) : [];
    if (missed.length > 0) {
      throw new UserError(`More than ${tolerance} times the goal: ${missed.map(({ name }) => name).join(", ")}`);
    }
  } finally {
    network.stop();
    await remove();
    await engine.stop();
  }
};

try {
  await bench();
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1); // A process of a function may still run.
}

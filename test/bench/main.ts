/** `npm run bench`: our figures beside their floors and peers, on the embedded engine and the deployed bundles. */
import { parseArgs } from "node:util";
import { type Engine, startEngine } from "../../infra/local/engine.ts";
import { localEnvironment } from "../../infra/local-environment.ts";
import { UserError } from "../../infra/user-error.ts";
import { runtimeClient } from "../lambda/runtime-client.ts";
import { bundleAll } from "./bundles.ts";
import { measureBundles, measureColdStarts } from "./measure/cold-start.ts";
import { measureCosts } from "./measure/costs.ts";
import {
  measureAsStored,
  measureBuild,
  measureFields,
  measureLarge,
  measureWarm,
} from "./measure/get-message.ts";
import { measureGrowth } from "./measure/growth.ts";
import { sizes, type Workload } from "./measure/workload.ts";
import { measureEvents, measureImport, measureMembers, measureStoring } from "./measure/writes.ts";
import { startNetwork } from "./network.ts";
import { type Row, toJson, toTable } from "./row.ts";
import { storeEmails, tables } from "./stored.ts";

const { json } = parseArgs({ options: { json: { type: "boolean" } } }).values;

const tell = (text: string): void => {
  if (!json) console.error(`${Math.round(performance.now() / 1000)} s: ${text}`);
};

/** Starts the embedded engine, unless the environment names another one. */
const startOwnEngine = async (): Promise<Engine | undefined> => {
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB) return undefined;
  const engine = await startEngine();
  Object.assign(process.env, localEnvironment(engine.port));
  return engine;
};

/** Without the tools to build AWS's runtime client, the report has all other rows. */
const coldStarts = async (workload: Workload): Promise<Row[]> => {
  try {
    return await measureColdStarts(workload, runtimeClient(tell), 7);
  } catch (error) {
    console.error(`Cold starts were not measured: ${error instanceof Error ? error.message : error}`);
    return [];
  }
};

const measurements: Record<string, (workload: Workload) => Promise<Row[]>> = {
  bundles: measureBundles,
  "cold starts": coldStarts,
  "warm requests": measureWarm,
  "large emails": measureLarge,
  "stored bytes": measureAsStored,
  fields: measureFields,
  build: measureBuild,
  members: measureMembers,
  storing: measureStoring,
  events: measureEvents,
  import: measureImport,
  costs: measureCosts,
  growth: measureGrowth,
};

const bench = async (): Promise<void> => {
  const engine = await startOwnEngine();
  Object.assign(process.env, tables);
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
  } finally {
    network.stop();
    await remove();
    await engine?.stop();
  }
};

try {
  await bench();
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1); // A process of a function may still run.
}

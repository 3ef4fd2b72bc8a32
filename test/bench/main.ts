/** `npm run bench`: our figures beside their floors and their peers, on the real engine and the real bundles. */
import { parseArgs } from "node:util";
import { type Engine, startEngine } from "../../infra/local/engine.ts";
import { localEnvironment } from "../../infra/local-environment.ts";
import { UserError } from "../../infra/user-error.ts";
import { runtimeClient } from "../lambda/runtime-client.ts";
import { type Bundles, bundleAll } from "./bundles.ts";
import { measureAsStored } from "./measure/as-stored.ts";
import { measureBundles, measureColdStarts } from "./measure/cold.ts";
import { measureCosts } from "./measure/costs.ts";
import { measureGrowth } from "./measure/growth.ts";
import { measureLarge } from "./measure/large.ts";
import { measureMembers } from "./measure/members.ts";
import { measureWarm } from "./measure/warm.ts";
import { type Size, sizes, type Workload } from "./measure/workload.ts";
import { startNetwork } from "./network.ts";
import { type Row, toJson, toTable } from "./row.ts";
import { storeEmails, tables } from "./stored.ts";

const { json } = parseArgs({ options: { json: { type: "boolean", default: false } } }).values;

const startedAt = performance.now();
const tell = (text: string): void => {
  if (!json) console.error(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}`);
};

/** The embedded engine, unless the environment names another one. */
const startOwnEngine = async (): Promise<Engine | undefined> => {
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB) return undefined;
  const engine = await startEngine();
  Object.assign(process.env, localEnvironment(engine.port));
  return engine;
};

const prepare = async (bundles: Bundles, engineUrl: string): Promise<Workload> => {
  const { caller, ids } = await storeEmails(Object.values(sizes));
  const names = Object.keys(sizes) as Size[];
  const byName = Object.fromEntries(names.map((size, index) => [size, ids[index]]));
  const acrossNetwork = { AWS_ENDPOINT_URL_DYNAMODB: engineUrl };
  return { bundles, caller, ids: byName as Record<Size, string>, acrossNetwork };
};

/** Without what it takes to build AWS's runtime client, all other rows are there. */
const coldStarts = async (workload: Workload): Promise<Row[]> => {
  try {
    return await measureColdStarts(workload, runtimeClient(tell), 11);
  } catch (error) {
    console.error(`Cold starts were not measured: ${error instanceof Error ? error.message : error}`);
    return [];
  }
};

const measurements: [what: string, (workload: Workload) => Promise<Row[]>][] = [
  ["bundles", measureBundles],
  ["cold starts", coldStarts],
  ["warm requests", (workload) => measureWarm(workload, 3)],
  ["large emails", measureLarge],
  ["emails sent as they are stored", (workload) => measureAsStored(workload, 9)],
  ["members", (workload) => measureMembers(workload, 9)],
  ["costs", measureCosts],
  ["growth", (workload) => measureGrowth(workload, 12)],
];

const bench = async (): Promise<void> => {
  const engine = await startOwnEngine();
  Object.assign(process.env, tables);
  tell("bundling");
  const { bundles, remove } = await bundleAll();
  const network = await startNetwork(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  try {
    tell("storing emails");
    const workload = await prepare(bundles, network.url);
    const rows: Row[] = [];
    for (const [what, measure] of measurements) {
      tell(what);
      const measured = await measure(workload);
      if (json) for (const row of measured) console.log(toJson(row));
      rows.push(...measured);
    }
    tell("done");
    if (!json) console.log(toTable(rows));
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
  process.exitCode = 1;
}

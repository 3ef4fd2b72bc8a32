/** `npm run test:lambda`: both functions under AWS's own runtime client, held against the contract. */
import { parseArgs } from "node:util";
import { createTable } from "../../infra/local/create-table.ts";
import { startEngine } from "../../infra/local/engine.ts";
import { localEnvironment } from "../../infra/local-environment.ts";
import { UserError } from "../../infra/user-error.ts";
import { openTable } from "../../lib/table/table.ts";
import { type Group, type Result, runChecks, toTable } from "../deployed/checklist.ts";
import { allChecks } from "../deployed/checks.ts";
import { openService } from "../deployed/service.ts";
import { behaviourGroup, faultGroup, processGroup } from "./checks.ts";
import { startFailingEngine } from "./failing-engine.ts";
import { runtimeClient } from "./runtime-client.ts";
import { bundleFolder, serveFunctions } from "./service.ts";

const { json } = parseArgs({ options: { json: { type: "boolean", default: false } } }).values;

const report = (result: Result): void => {
  if (json) console.log(JSON.stringify(result));
  else console.error(`${result.outcome}: ${result.check}${result.note && ` (${result.note})`}`);
};

const check = async (): Promise<Result[]> => {
  const client = runtimeClient();
  const engine = await startEngine();
  const environment = localEnvironment(engine.port);
  Object.assign(process.env, environment);
  await createTable(environment.TABLE_NAME);
  const failingEngine = await startFailingEngine(environment.AWS_ENDPOINT_URL_DYNAMODB);
  const served = await serveFunctions(client, {
    ...environment,
    AWS_ENDPOINT_URL_DYNAMODB: failingEngine.url,
  });
  const service = openService({ url: served.url, table: openTable() });
  const handlers = bundleFolder("test/lambda/handlers.ts");
  try {
    const groups: Group[] = [
      behaviourGroup(client, handlers),
      ...(await allChecks(service)),
      await faultGroup(service, failingEngine),
      await processGroup(client, served, environment, service),
    ];
    const results = await runChecks(groups, report);
    if (!json) console.log(toTable(results));
    return results;
  } finally {
    await served.stop();
    failingEngine.stop();
    await engine.stop();
  }
};

try {
  const results = await check();
  if (results.some(({ outcome }) => outcome === "FAILS")) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exitCode = 2;
}

/** `npm run test:deployed`: a service that runs, held against its contract. */
import { UserError } from "../../infra/user-error.ts";
import { type Result, runChecks, toTable } from "./checklist.ts";
import { allChecks } from "./checks.ts";
import { openService } from "./service.ts";
import { findTarget, readOptions, usage } from "./target.ts";

const check = async (): Promise<Result[]> => {
  const options = readOptions();
  if (options.help) {
    console.log(usage);
    return [];
  }
  const service = openService(findTarget(options));
  const report = (result: Result): void => {
    if (options.json) console.log(JSON.stringify(result));
    else console.error(`${result.outcome}: ${result.check}${result.note && ` (${result.note})`}`);
  };
  try {
    const results = await runChecks(await allChecks(service), report);
    if (!options.json) console.log(toTable(results));
    return results;
  } finally {
    await service.remove();
  }
};

try {
  const results = await check();
  if (results.some(({ outcome }) => outcome === "FAILS")) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exitCode = 2;
}

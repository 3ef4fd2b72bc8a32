/** `npm run admin -- COMMAND`: what an operator does on the table. */
import { explain, UsageError } from "./command.ts";
import * as createApiKey from "./create-api-key.ts";
import * as importMessage from "./import-message.ts";
import * as revokeApiKey from "./revoke-api-key.ts";

const commands = new Map([
  ["create-api-key", createApiKey],
  ["import-message", importMessage],
  ["revoke-api-key", revokeApiKey],
]);

const isUsageError = (error: unknown): boolean =>
  error instanceof UsageError || String((error as { code?: string }).code).startsWith("ERR_PARSE_ARGS");

const [name, ...args] = process.argv.slice(2);
const command = commands.get(name ?? "");
try {
  if (name === "--help") console.log([...commands.values()].map(({ usage }) => usage).join("\n"));
  else if (!command)
    throw new UsageError(`The commands are ${[...commands.keys()].join(", ")}; not ${name ?? "nothing"}`);
  else process.exitCode = await command.run(args);
} catch (error) {
  console.error(explain(error as Error));
  process.exitCode = isUsageError(error) ? 2 : 1;
}

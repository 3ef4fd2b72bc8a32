/** `npm start` runs the service on this machine, with an embedded DynamoDB and a demonstration account. */
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { operations } from "../../lib/http/operations.ts";
import { openTable } from "../../lib/table/table.ts";
import { localEnvironment } from "../cli/local-environment.ts";
import { UserError } from "../cli/user-error.ts";
import { apiSource } from "../page/api-source.ts";
import { deskPages } from "../page/serve-page.ts";
import { tableSource } from "../page/table-source.ts";
import { createTable } from "./create-table.ts";
import { lockDataFile } from "./data-file.ts";
import { storeDemo } from "./demo.ts";
import { type Engine, startEngine } from "./engine.ts";
import { engineGuard, portsClosedToPages } from "./engine-guard.ts";
import { forwardTo } from "./forward.ts";
import { gateway, type LocalRoute } from "./gateway.ts";
import { type Options, portOf, readOptions } from "./options.ts";
import { referencePages } from "./reference.ts";
import { seed } from "./seed.ts";
import { findStage } from "./stage.ts";
import { startupMessage } from "./startup-message.ts";

const defaultDynamoDbPort = 8000;

/** A deployed table can be far away. */
const deskTimeoutMs = 15_000;

/** Without a limit, hundreds of functions would call the embedded DynamoDB at once, and calls would time out. */
const functionsAtOnce = 20;

const listen = (server: Server, port: number, variable: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "EACCES" ? "needs administrator rights" : "is in use";
      reject(new UserError(`Port ${port} ${reason}. Set ${variable} to another port`));
    });
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

/** Set TABLE_NAME first, because the functions read it as soon as they are imported. */
const loadRoutes = (): Promise<LocalRoute[]> =>
  Promise.all(
    operations.map(async (operation) => {
      const { handler } = await import(new URL(`../../${operation.file}`, import.meta.url).href);
      return { operation, handler };
    }),
  );

const servers: Server[] = [];
let engine: Engine | undefined;
let stopping = false;

const stop = async (status: number): Promise<void> => {
  if (stopping) return;
  stopping = true;
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await engine?.stop();
  process.exit(status);
};

const fail = async (error: unknown): Promise<void> => {
  if (stopping) return;
  console.error(error instanceof UserError ? error.message : error);
  await stop(error instanceof UserError ? error.exitStatus : 1);
};

/** Returns the port of the proxy that keeps web pages away from DynamoDB. */
const startDynamoDb = async ({ data }: Options): Promise<number> => {
  const port = portOf("DYNAMODB_PORT", defaultDynamoDbPort);
  const isChosen = process.env.DYNAMODB_PORT !== undefined;
  if (data !== undefined) lockDataFile(data);
  engine = await startEngine({ ports: portsClosedToPages, file: data });
  void engine.ended.then((output) => fail(new UserError(`The embedded DynamoDB has ended: ${output}`)));
  Object.assign(process.env, localEnvironment(engine.port));
  const guard = engineGuard(engine.port);
  servers.push(guard);
  // Many programs use port 8000, so if nobody set DYNAMODB_PORT and that port is taken, we use any free one.
  return listen(guard, port, "DYNAMODB_PORT").catch((error) => {
    if (isChosen) throw error;
    return listen(guard, 0, "DYNAMODB_PORT");
  });
};

/**
 * Starts DynamoDB if necessary. Returns the environment variables that tell the operator's commands where the table is.
 */
const startTable = async (options: Options): Promise<Record<string, string | undefined>> => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION, TABLE_NAME } = process.env;
  if (AWS_ENDPOINT_URL_DYNAMODB) return { AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION, TABLE_NAME };
  const port = await startDynamoDb(options);
  return port === defaultDynamoDbPort ? {} : { DYNAMODB_PORT: String(port) };
};

const serve = async (server: Server): Promise<string> => {
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, portOf("PORT", 3000), "PORT")}`;
};

/** `--api` starts no DynamoDB, because the deployed API has its own table. */
const startFor = async (api: URL): Promise<void> => {
  const pages = new Map([
    ...referencePages(),
    ...deskPages({ source: "api", where: [api.href], api: api.href }, apiSource),
  ]);
  const baseUrl = await serve(gateway([], pages, functionsAtOnce, forwardTo(api)));
  console.log(`Messages of ${api.href}: ${baseUrl}/messages`);
  console.log(`Ready on ${baseUrl}; every request below /v2/ goes to ${api.href}. Ctrl-C ends it.`);
};

/** The desk only reads: there are no functions, and the table is the deployed one. */
const startDesk = async ({ table: name, stage }: Options): Promise<void> => {
  const { tableName, api } = stage === undefined ? { tableName: name, api: "" } : await findStage(stage);
  process.env.TABLE_NAME = tableName; // for the sentence about a table that doesn't exist
  const table = openTable({ name: tableName, timeoutMs: deskTimeoutMs });
  const token = randomBytes(24).toString("base64url");
  // The region can come from a profile; without any, the first search says so.
  const region = await new DynamoDBClient().config.region().catch(() => "");
  const where = [stage ?? tableName ?? "", region].filter(Boolean);
  const pages = deskPages({ source: "table", where, api }, tableSource(table), token);
  const baseUrl = await serve(gateway([], new Map([...referencePages(), ...pages]), functionsAtOnce));
  console.log(`The support desk of ${where.join(", ")}, read-only. Open this address, which only works until Ctrl-C:`);
  console.log(`${baseUrl}/messages#token=${token}`);
  console.log(`Ready on ${baseUrl}; every read is made with your AWS credentials. Ctrl-C ends it.`);
};

const start = async (options: Options): Promise<void> => {
  if (options.api) return startFor(options.api);
  if (options.table !== undefined || options.stage !== undefined) return startDesk(options);
  const adminVariables = await startTable(options);
  process.env.TABLE_NAME ??= "email-api";
  // On your own machine, functions log only errors: request logs would scroll the startup message out of the terminal.
  process.env.POWERTOOLS_LOG_LEVEL ??= "ERROR";
  process.env.POWERTOOLS_METRICS_DISABLED ??= "true";
  await createTable(process.env.TABLE_NAME);
  const table = openTable();
  const demo = await storeDemo(table, Date.now());
  const { ids, failures } = options.seed
    ? await seed(table, options.seed, demo, Date.now())
    : { ids: [], failures: [] };
  for (const failure of failures) console.error(failure);
  const { account_id, api_key } = demo;
  // This machine's table has a port that every user of the machine may use, so a token of the desk would protect nothing.
  const known = [...Object.values(demo.messages), ...ids].map((id) => ({ account_id, id }));
  const shown = { source: "local", where: ["this machine"], api: "", demo: { account_id, api_key } } as const;
  const pages = new Map([...referencePages(demo), ...deskPages(shown, tableSource(table, known))]);
  const baseUrl = await serve(gateway(await loadRoutes(), pages, functionsAtOnce));
  if (options.seed) console.log(`Emails of ${options.seed}: ${ids.length.toLocaleString("en")}\n`);
  const { port } = new URL(baseUrl);
  const variables = { ...(port !== "3000" && { PORT: port }), ...adminVariables };
  console.log(startupMessage(baseUrl, demo, { adminVariables: variables, seeded: ids }));
  console.log(`What became of each message: ${baseUrl}/messages`);
  console.log(`Ready on ${baseUrl}; open it in a browser for the API reference. Ctrl-C ends it.`);
};

process.on("SIGINT", () => stop(0));
process.on("SIGTERM", () => stop(0));
// npm sends signals only to the shell in which it runs this program, so we also stop when that shell is gone.
const parent = process.ppid;
const orphaned = () => process.ppid !== parent;
if (process.env.npm_lifecycle_event) setInterval(() => orphaned() && stop(0), 200).unref();

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await start(options);
} catch (error) {
  await fail(error);
}

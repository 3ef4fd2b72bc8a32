/** `npm start`: the service on this machine, on an embedded DynamoDB, with a demonstration account. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { operations } from "../../lib/api/operations.ts";
import { openTable } from "../../lib/table/table.ts";
import { createTable } from "./create-table.ts";
import { storeDemo } from "./demo.ts";
import { type Engine, localEnvironment, SetupError, startEngine } from "./engine.ts";
import { gateway, type LocalRoute } from "./gateway.ts";
import { referencePages } from "./reference.ts";
import { tour } from "./tour.ts";

const portOf = (variable: string, fallback: number): number => {
  const text = process.env[variable] ?? String(fallback);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new SetupError(`${variable} is no port: ${text}`);
  return port;
};

const readOptions = () => {
  try {
    return parseArgs({ options: { data: { type: "string" } } }).values;
  } catch (error) {
    throw new SetupError((error as Error).message);
  }
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", () => reject(new SetupError(`Port ${port} is taken: set PORT to another one`)));
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

/** The functions as they are deployed: each reads its table from the environment when it is loaded. */
const loadRoutes = (): Promise<LocalRoute[]> =>
  Promise.all(
    operations.map(async (operation) => {
      const { handler } = await import(new URL(`../../${operation.file}`, import.meta.url).href);
      return { operation, handler };
    }),
  );

const start = async (): Promise<void> => {
  let engine: Engine | undefined;
  let server: Server | undefined;
  const stop = async (status: number) => {
    server?.close();
    server?.closeAllConnections();
    await engine?.stop();
    process.exit(status);
  };
  process.on("SIGINT", () => stop(0));
  process.on("SIGTERM", () => stop(0));
  // A signal to npm ends its shell, but not what the shell runs.
  const parent = process.ppid;
  const orphaned = () => process.ppid !== parent;
  if (process.env.npm_lifecycle_event) setInterval(() => orphaned() && stop(0), 200).unref();

  try {
    const port = portOf("PORT", 3000);
    const { data } = readOptions();
    if (!process.env.AWS_ENDPOINT_URL_DYNAMODB) {
      engine = await startEngine(portOf("DYNAMODB_PORT", 8000), data);
      Object.assign(process.env, localEnvironment(engine.port));
    }
    process.env.TABLE_NAME ??= "email-api";
    // The terminal keeps what it was told to try, and hears of failures only.
    process.env.POWERTOOLS_LOG_LEVEL ??= "ERROR";
    process.env.POWERTOOLS_METRICS_DISABLED ??= "true";
    await createTable(process.env.TABLE_NAME);
    const demo = await storeDemo(openTable(), Date.now());
    server = gateway(await loadRoutes(), referencePages(demo));
    const baseUrl = `http://127.0.0.1:${await listen(server, port)}`;
    console.log(
      `${tour(baseUrl, demo)}\nReady on ${baseUrl}; in a browser it is the reference. Ctrl-C ends it.`,
    );
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    await stop(1);
  }
};

await start();

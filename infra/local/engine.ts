/** The embedded DynamoDB: dynoxide, a native engine that comes from npm, as a child of this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A problem that the user can solve; its message is the one line they see. */
export class SetupError extends Error {}

/** Any credentials do; the SDK asks for some, and DynamoDB Local keeps a database for each. */
export const localEnvironment = (port: number) => ({
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  TABLE_NAME: "email-api",
});

const findBinary = (): string => {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch {
    throw new SetupError(
      `No embedded DynamoDB is installed for this platform: try "npm install --no-save ${name}", or set ` +
        "AWS_ENDPOINT_URL_DYNAMODB to an engine that runs, such as DynamoDB Local",
    );
  }
};

/** Answers the port, or a free one for 0; fails when it is taken. */
export const claimPort = (port: number, variable: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", () =>
      reject(new SetupError(`Port ${port} is taken: set ${variable} to another one`)),
    );
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });

const answers = async (port: number): Promise<boolean> => {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    return true;
  } catch {
    return false;
  }
};

const exited = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("exit", () => resolve()));

export type Engine = { port: number; stop: () => Promise<void> };

/**
 * Starts the engine and waits until it answers.
 *
 * @param file keeps the data in this file; without it, in memory
 * @throws SetupError when the port is taken or the platform has no engine
 */
export const startEngine = async (requestedPort: number, file?: string): Promise<Engine> => {
  const binary = findBinary();
  const port = await claimPort(requestedPort, "DYNAMODB_PORT");
  const child = spawn(binary, ["serve", "--port", String(port), ...(file ? ["--db-path", file] : [])], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-1000);
  });
  const stopWithUs = () => child.kill();
  process.once("exit", stopWithUs);

  while (!(await answers(port))) {
    if (child.exitCode !== null)
      throw new SetupError(`The embedded DynamoDB did not start: ${complaint.trim()}`);
    await sleep(10);
  }
  return {
    port,
    stop: async () => {
      process.off("exit", stopWithUs);
      child.kill();
      await exited(child);
    },
  };
};

/** What a month happens in: the table, the queue, the bucket, the functions, and a process for whoever acts. */
import { Readable } from "node:stream";
import type { APIGatewayProxyEvent, SQSHandler } from "aws-lambda";
import { runAdmin } from "../../infra/admin/program.ts";
import { invoke, type LambdaHandler } from "../../infra/local/lambda.ts";
import { newEngine } from "../world/engine.ts";
import { type Fault, faultNames, openGate } from "../world/gate.ts";
import { newBucket, newQueue } from "../world/queue.ts";
import { randomFrom } from "../world/random.ts";
import { currentProcess, inProcess, type Process, type Span, sleep, trueTime } from "../world/time.ts";
import { newModel, Violation } from "./model.ts";

export const tableName = "month";

/** When Lambda ends the function of a request. */
const timeouts = { getMessage: 300_000, addAccountMember: 28_000 };

export type Handlers = {
  getMessage: LambdaHandler;
  addAccountMember: LambdaHandler;
  recordEvents: SQSHandler;
};

export type HttpAnswer = { status: number; headers: Record<string, string>; body: string };
export type Ran = { status: number; lines: Record<string, unknown>[]; errors: string[] };

const hour = 3600_000;
const day = 24 * hour;

export const newWorld = (seed: string, handlers: Handlers, weather: { rate: number; kinds: readonly Fault[] }) => {
  const engine = newEngine(trueTime);
  const model = newModel();
  const bucket = newBucket();
  const counts = new Map<string, number>();
  const violations: Error[] = [];
  const taken = new Map<string, ((span: Span) => void)[]>();

  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  /** Two clocks differ by up to two seconds. */
  const newProcess = (name: string): Process => {
    const random = randomFrom(`${seed} ${name}`);
    return { name, skew: random.oneOf([-1000, 0, 0, 1000]), random, isStopped: false };
  };
  const queue = newQueue({
    random: randomFrom(`${seed} queue`),
    handler: () => handlers.recordEvents,
    newProcess,
    taken: (body, span) => {
      for (const end of taken.get(JSON.parse(body).id) ?? []) end(span);
    },
  });
  openGate({
    weather,
    count,
    call: (name, input, lag) => {
      if (name === "GetObjectCommand") return bucket.get(input as object);
      if (name === "ChangeMessageVisibilityBatchCommand") return queue.postpone(input as object);
      return engine.call(name, input, lag);
    },
  });
  engine.create(tableName);

  const world = {
    engine,
    model,
    bucket,
    queue,
    weather,
    counts,
    count,
    violations,
    /** Whether no call has met a fault. */
    isCalm: (): boolean => faultNames.every((fault) => !counts.has(fault)),
    /** The API keys that were created, by name. */
    keys: new Map<string, { secret: string; id: string }>(),
    /** The ids of imported messages, by name. */
    ids: new Map<string, string>(),
    /** Whom to tell when the event with this id is recorded. */
    whenTaken: (id: string, end: (span: Span) => void): void => {
      taken.set(id, [...(taken.get(id) ?? []), end]);
    },

    /** Lets somebody act. What they see and the model forbids is a violation. */
    act: async (name: string, act: (process: Process) => Promise<void>): Promise<void> => {
      const process = newProcess(name);
      try {
        await inProcess(process, () => act(process));
      } catch (error) {
        if (error instanceof Violation || !process.isStopped) violations.push(error as Error);
      }
    },

    /** Runs a command of the operator. */
    admin: async (args: string[], input: Buffer | string = ""): Promise<Ran> => {
      const lines: Record<string, unknown>[] = [];
      const errors: string[] = [];
      const process = currentProcess();
      // An operator's clock may be wrong by days: the commands ask the table for the time.
      if (process) process.skew = process.random.oneOf([process.skew, process.skew, 2 * day, -hour]);
      const status = await runAdmin([...args, "--json"], {
        print: (line) => lines.push(JSON.parse(line)),
        complain: (line) => errors.push(line),
        input: Readable.from([Buffer.from(input)]),
        sleep,
        written: async () => {},
      });
      count(args[0] ?? "");
      return { status, lines, errors };
    },

    /** Sends a request to a function. Returns its response, or `undefined` if none came. */
    request: async (
      process: Process,
      name: "getMessage" | "addAccountMember",
      event: object,
    ): Promise<HttpAnswer | undefined> => {
      count(name);
      const handler = handlers[name];
      const sent = { requestContext: {}, isBase64Encoded: false, ...event } as APIGatewayProxyEvent;
      try {
        const { statusCode, headers, body } = await invoke(handler, sent, { timeoutMilliseconds: timeouts[name] });
        const text = typeof body === "string" ? body : Buffer.concat(await body.toArray()).toString();
        return process.isStopped ? undefined : { status: statusCode, headers, body: text };
      } catch (error) {
        process.isStopped ||= (error as Error).name === "Sandbox.Timedout";
        return process.isStopped ? undefined : { status: 0, headers: {}, body: "" };
      }
    },

    /** TTL deletes an item between ten minutes and 48 hours after its expiry, or never; after five years, surely never. */
    timeToLive: async (until: number): Promise<void> => {
      while (trueTime() < until) {
        await sleep(6 * 3600 * 1000);
        for (const { pk, sk, expires_at } of engine.items(tableName)) {
          const luck = randomFrom(`${seed} ${pk} ${sk}`);
          const delay = luck.chance(0.2) ? Number.POSITIVE_INFINITY : 600 + luck.below(48 * 3600);
          const isForgotten = Number(expires_at) < (trueTime() - 5 * 365 * day) / 1000;
          if (!isForgotten && Number(expires_at) + delay < trueTime() / 1000) engine.remove(tableName, { pk, sk });
        }
      }
    },
  };
  return world;
};
export type World = ReturnType<typeof newWorld>;

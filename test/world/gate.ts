/**
 * The gate: here, every call to DynamoDB, S3 and SQS waits for its turn, and may meet a fault. It stands where the code
 * hands a command to the SDK's clients, so it also does what they do by themselves: three attempts after throttling and
 * after a lost response.
 */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { isUnavailable } from "../../lib/table/retry.ts";
import { type Input, longestIndexLag, longestLag } from "./engine.ts";
import { currentProcess, type Process, sleep, trueTime } from "./time.ts";

const faults = {
  throttled: /./,
  "lost before it arrives": /./,
  "done, but its response is lost": /Put|Update|Delete|TransactWrite|ChangeMessage/,
  "transaction conflict": /Put|Update|Delete|TransactWrite/,
  "unprocessed keys": /BatchGet/,
  "the process stops before": /./,
  "the process stops after": /./,
} as const;
export type Fault = keyof typeof faults;
export const faultNames = Object.keys(faults) as Fault[];

/** What stands behind the gate. */
export type Backend = {
  call: (name: string, input: Input, lag: number) => object;
  /** The share of the calls that meet a fault, and the faults that this month has. */
  weather: { rate: number; kinds: readonly Fault[] };
  count: (what: string) => void;
};

let backend: Backend;
export const openGate = (to: Backend): void => {
  backend = to;
};

const named = (name: string): Error => Object.assign(new Error(`simulated: ${name}`), { name });

/** Most calls take some milliseconds. A few take so long that others overtake them by far. */
const latencyOf = ({ random, latency }: Process): number => {
  if (latency) return latency();
  const luck = random.next();
  return 1 + random.next() * (luck < 0.85 ? 10 : luck < 0.97 ? 300 : luck < 0.995 ? 2500 : 20_000);
};

const waitFor = async (process: Process): Promise<void> => {
  await sleep(latencyOf(process));
  if (process.isStopped) throw named("ProcessStopped");
};

const stop = (process: Process): never => {
  process.isStopped = true;
  throw named("ProcessStopped");
};

const conflict = ({ TransactItems }: Input, { random }: Process): Error => {
  if (!TransactItems) return named("TransactionConflictException");
  const victim = random.below(TransactItems.length);
  const CancellationReasons = TransactItems.map((_, index) => ({
    Code: index === victim ? "TransactionConflict" : "None",
  }));
  return new TransactionCanceledException({ message: "conflict", $metadata: {}, CancellationReasons });
};

const withoutSome = ({ RequestItems = {}, ...input }: Input, { random }: Process) => {
  const [[table, { Keys }] = ["", { Keys: [] }]] = Object.entries(RequestItems);
  const done = Keys.filter(() => random.chance(0.5));
  const left = Keys.filter((key) => !done.includes(key));
  return {
    input: { ...input, RequestItems: { [table]: { Keys: done } } },
    UnprocessedKeys: left.length > 0 ? { [table]: { Keys: left } } : {},
  };
};

/** How old the data of an eventually consistent read are, in milliseconds. */
const lagOf = ({ random, lag }: Process, { IndexName }: Input): number =>
  lag ?? (random.chance(0.5) ? random.below(IndexName ? longestIndexLag : longestLag) : 0);

const attempt = async (process: Process, name: string, input: Input, fault: Fault | undefined): Promise<object> => {
  await waitFor(process);
  const lag = lagOf(process, input);
  const perform = () => backend.call(name, input, lag);
  if (fault === "throttled") throw named("ThrottlingException");
  if (fault === "lost before it arrives") throw named("TimeoutError");
  if (fault === "transaction conflict") throw conflict(input, process);
  if (fault === "the process stops before") stop(process);
  if (fault === "unprocessed keys") {
    const { input: some, UnprocessedKeys } = withoutSome(input, process);
    return { ...backend.call(name, some, lag), UnprocessedKeys };
  }
  try {
    return perform();
  } finally {
    if (fault === "the process stops after") stop(process);
    await waitFor(process);
    // biome-ignore lint/correctness/noUnsafeFinally: whatever the response was, it is lost
    if (fault === "done, but its response is lost") throw named("TimeoutError");
  }
};

const attempts = 3;

const send = async (name: string, input: Input, signal?: AbortSignal): Promise<object> => {
  const process = currentProcess();
  if (!process || process.isStopped) throw named("ProcessStopped");
  if (process.callsLeft !== undefined && process.callsLeft-- <= 0) {
    backend.count("the process stops before");
    stop(process);
  }
  const { random } = process;
  backend.count(name);
  const { rate, kinds } = backend.weather;
  const possible = kinds.filter((kind) => faults[kind].test(name));
  const fault = possible.length > 0 && random.chance(rate) ? random.oneOf(possible) : undefined;
  if (fault) backend.count(fault);
  const faulty = 1 + random.below(attempts);
  for (let number = 1; ; number++) {
    try {
      signal?.throwIfAborted();
      return await attempt(process, name, input, number <= faulty ? fault : undefined);
    } catch (error) {
      if (!isUnavailable(error) || signal?.aborted || number === attempts) throw error;
      await sleep(25 * number);
    }
  }
};

type Answer = { output: object; response: { headers: { date: string } } };
type Command = {
  constructor: { name: string };
  input: object;
  middlewareStack: {
    identify: () => string[];
    resolve: (next: () => Promise<Answer>, context: object) => (call: object) => Promise<Answer>;
  };
};

/** A middleware that the code adds to a command reads the response's headers: the table's clock is right. */
const throughMiddlewares = async (command: Command, signal: AbortSignal | undefined): Promise<object> => {
  const { input, middlewareStack } = command;
  const perform = () => send(command.constructor.name, input as Input, signal);
  if (middlewareStack.identify().length === 0) return perform();
  const answer = async (): Promise<Answer> => {
    const output = await perform();
    return { output, response: { headers: { date: new Date(trueTime()).toUTCString() } } };
  };
  return (await middlewareStack.resolve(answer, {})({ input })).output;
};

/** Puts the gate in front of the SDK's clients. Returns the function that takes it away. */
export const buildGate = (): (() => void) => {
  const clients = [DynamoDBDocumentClient, S3Client, SQSClient].map(({ prototype }) => ({
    prototype,
    send: prototype.send,
  }));
  for (const { prototype } of clients) {
    Object.assign(prototype, {
      send: (command: Command, options?: { abortSignal?: AbortSignal }) =>
        throughMiddlewares(command, options?.abortSignal),
    });
  }
  return () => {
    for (const { prototype, send } of clients) Object.assign(prototype, { send });
  };
};

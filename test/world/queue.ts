/** The queue of events, with what SQS does to them: twice, late, out of order, ten at a time. And the bucket of emails. */
import type { SQSHandler } from "aws-lambda";
import { maximumRawBytes } from "../../lib/messages/write/draft-message.ts";
import { deliver } from "../harness/sqs.ts";
import type { Random } from "./random.ts";
import { currentProcess, inProcess, type Process, type Span, sleep, trueTime } from "./time.ts";

/** Seconds until SQS delivers an event again that the function has neither recorded nor postponed. */
const visibilitySeconds = 720;
/** So often, an event is received before it becomes a dead letter. */
const mostReceives = 12;

type Entry = { id: string; body: string; visibleAt: number; receives: number; sentAt: number };

type Options = {
  random: Random;
  handler: () => SQSHandler;
  newProcess: (name: string) => Process;
  /** Is told which events the function has taken, and when. */
  taken: (body: string, span: Span) => void;
};

export const newQueue = ({ random, handler, newProcess, taken }: Options) => {
  const entries = new Map<string, Entry>();
  const deadLetters: Entry[] = [];
  let functions = 0;
  let invocations = 0;
  let sent = 0;

  const visible = () => [...entries.values()].filter(({ visibleAt }) => visibleAt <= trueTime());

  const wakeAt = (time: number): void => void sleep(time - trueTime() + random.below(60)).then(receive);

  const receive = async (): Promise<void> => {
    const batch = visible()
      .map((entry) => ({ entry, order: random.next() }))
      .sort((a, b) => a.order - b.order)
      .slice(0, 1 + random.below(10))
      .map(({ entry }) => entry);
    if (batch.length === 0) return;
    if (visible().length > batch.length) wakeAt(trueTime());
    for (const entry of batch) {
      entry.receives++;
      entry.visibleAt = trueTime() + (random.chance(0.05) ? random.below(500) : visibilitySeconds * 1000);
      wakeAt(entry.visibleAt); // unless somebody takes it before
    }
    functions++;
    const process = newProcess(`RecordEvents ${++invocations}`);
    const span = { from: trueTime(), to: 0 };
    const messages = batch.map(({ id, body, receives }) => ({ messageId: id, body, receiveCount: receives }));
    const failed = await inProcess(process, () => deliver(handler(), messages)).catch(() => undefined);
    functions--;
    span.to = trueTime();
    for (const entry of batch) {
      const isTaken = failed && !process.isStopped && !failed.includes(entry.id);
      if (isTaken) taken(entry.body, span);
      if (isTaken && random.chance(0.95)) entries.delete(entry.id);
      else if (entry.receives >= mostReceives && entries.delete(entry.id)) deadLetters.push(entry);
      else wakeAt(entry.visibleAt);
    }
  };

  const send = (body: string, delay = 0): void => {
    const id = `event-${++sent}`;
    const visibleAt = trueTime() + delay;
    entries.set(id, { id, body, visibleAt, receives: 0, sentAt: trueTime() });
    wakeAt(visibleAt);
  };

  return {
    send,
    /** What the function sends to SQS. */
    postpone: ({ Entries = [] }: { Entries?: { ReceiptHandle: string; VisibilityTimeout: number }[] }): object => {
      for (const { ReceiptHandle, VisibilityTimeout } of Entries) {
        const entry = entries.get(ReceiptHandle.replace("receipt of ", ""));
        if (entry) entry.visibleAt = trueTime() + VisibilityTimeout * 1000;
      }
      return {};
    },
    deadLetters: (): string[] => deadLetters.map(({ body }) => body),
    redrive: (): void => {
      for (const { body } of deadLetters.splice(0)) send(body);
    },
    /** Waits until every event is recorded or a dead letter. */
    drained: async (): Promise<void> => {
      while (entries.size > 0 || functions > 0) await sleep(60_000);
    },
  };
};
export type Queue = ReturnType<typeof newQueue>;

/** An object may appear after the event that names it. */
export const newBucket = () => {
  const objects = new Map<string, { from: number; content: Buffer; isTooLarge: boolean }>();
  const open = new Set<{ process: Process | undefined }>();
  return {
    put: (key: string, content: Buffer, delay: number, isTooLarge: boolean): void => {
      objects.set(key, { from: trueTime() + delay, content, isTooLarge });
    },
    get: ({ Key = "" }: { Key?: string }): object => {
      const found = objects.get(Key);
      if (!found || found.from > trueTime()) throw Object.assign(new Error("missing"), { name: "NoSuchKey" });
      const body = { process: currentProcess() };
      open.add(body);
      const destroy = () => void open.delete(body);
      const transformToByteArray = async () => {
        destroy();
        return found.content;
      };
      const ContentLength = found.isTooLarge ? maximumRawBytes + 1 : found.content.length;
      return { ContentLength, Body: { transformToByteArray, destroy } };
    },
    /** The bodies that nobody has read or destroyed. Their connections end with the process. */
    openBodies: (): number => [...open].filter(({ process }) => !process?.isStopped).length,
  };
};

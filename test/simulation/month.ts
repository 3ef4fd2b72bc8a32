/** A month of the service: its callers, a pipeline with its queue and bucket, and an operator. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import { createHandler as addAccountMember } from "../../functions/add-account-member.ts";
import { createHandler as getMessage } from "../../functions/get-message.ts";
import { runAdmin } from "../../infra/admin/program.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { EventRejectedError } from "../../lib/intake/event.ts";
import { receivesWithin, retrySeconds } from "../../lib/intake/event-lifetime.ts";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time.ts";
import { addAccountMemberEvent, getMessageEvent } from "../bench/events.ts";
import { newMessage } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import type { Model } from "./model.ts";
import type { Scheduler } from "./scheduler.ts";

type Letter = { id: string; body: string; receives: number; visibleAt: number };
type Caller = { account_id: string; secret: string; id: string };

type Result = { statusCode: number; body: string; headers: Record<string, string> };

/** Invokes a function of the API as Lambda does. `Reflect` because the two handlers differ in their parameters. */
const invoke = (handler: unknown, ...input: unknown[]): Promise<Result> =>
  Reflect.apply(handler as () => Promise<Result>, undefined, input);

const statuses = new WeakMap<Writable, { statusCode: number; headers: Record<string, string> }>();

export const startMonth = async (scheduler: Scheduler, table: Table, model: Model) => {
  const { clock, chance, oneOf, uuid, spawn, passGate } = scheduler;
  const HttpResponseStream = {
    from: (stream: Writable, prelude: never) => {
      statuses.set(stream, prelude);
      return stream;
    },
  };
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "queue");
  const { createHandler: recordEvents } = await import("../../functions/record-events.ts");
  vi.stubGlobal("awslambda", { ...awslambda, HttpResponseStream });

  const accounts: Caller[] = [];
  for (let n = 0; n < 2; n++) {
    const account_id = uuid();
    const { secret, apiKey } = await createApiKey(table, { account_id, scopes: ["*"] }, clock());
    accounts.push({ account_id, secret, id: apiKey.id });
  }
  const people = ["ada@canary.example", "bob@canary.example", "cy@canary.example"] as const;
  const idempotencyKeys = ["one", "two", "three", "four"].map((name) => `canary-${name}`);
  const bucket = new Map<string, string>();
  let queue: Letter[] = [];
  const deadLetters: Letter[] = [];
  const folder = temporaryFolder();

  const contextOf = (ms: number) => {
    const deadline = clock() + ms;
    return { awsRequestId: uuid(), getRemainingTimeInMillis: () => deadline - clock() };
  };
  const span = async <T>(act: () => Promise<T>): Promise<{ start: number; end: number; result: T }> => {
    const start = scheduler.now();
    const result = await act();
    return { start, end: scheduler.now(), result };
  };

  const addMember = async () => {
    const caller = oneOf(accounts);
    const [email, key] = [oneOf(people), chance(0.8) ? oneOf(idempotencyKeys) : uuid()];
    const event = addAccountMemberEvent(caller, email, key);
    for (let tries = 0; tries < 3; tries++) {
      const sent = model.requestStarted(`${caller.account_id} ${key}`, email, scheduler.now());
      const { start, end, result } = await span(() =>
        invoke(addAccountMember(table, clock), structuredClone(event), contextOf(28_000)),
      );
      const { statusCode: status, body, headers } = result;
      model.checkStatus(status, [201, 409, 422]);
      model.checkKey(caller.secret, { start, end }, status);
      const response = { status, body, isReplay: headers["Idempotent-Replayed"] === "true" };
      model.checkReplay(`${caller.account_id} ${key}`, sent, end, response);
      if (status === 201) model.checkMember(caller.account_id, email, JSON.parse(body));
      if (status !== 503) return;
      await sleep(1000);
    }
  };

  const read = async (caller: Caller, id: string, on = table) => {
    const chunks: Buffer[] = [];
    const stream = new Writable({
      write: (chunk, _, done) => {
        chunks.push(Buffer.from(chunk));
        done();
      },
    });
    const { start, end } = await span(() =>
      invoke(getMessage(on, clock), getMessageEvent(caller, id), stream, contextOf(300_000)),
    );
    const status = statuses.get(stream)?.statusCode ?? 0;
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    return { status, body, start, end };
  };
  const readSome = async () => {
    const ids = [...model.messages.keys()];
    if (ids.length === 0) return;
    const id = oneOf(ids);
    const caller = accounts.find(({ account_id }) => owners.get(id) === account_id) as Caller;
    const { status, body, start, end } = await read(caller, id);
    model.checkStatus(status, [200, 404]);
    model.checkKey(caller.secret, { start, end }, status);
    model.checkMessage(id, { start, end }, status, body);
  };

  const owners = new Map<string, string>();
  const send = (body: object) => {
    const letter = { id: uuid(), body: JSON.stringify(body), receives: 0, visibleAt: scheduler.now() };
    for (let copies = chance(0.3) ? 2 : 1; copies > 0; copies--) queue.push({ ...letter });
  };
  /** A pipeline reports a message and what became of it, in any order. */
  const reportMessage = async () => {
    const { account_id } = oneOf(accounts);
    const id = uuid();
    const retainUntil = scheduler.now() + Math.ceil(scheduler.random() * 40) * dayMilliseconds;
    owners.set(id, account_id);
    const recipient = oneOf(people);
    model.messages.set(id, { retainUntil, recipient, isExact: true, sent: new Map() });
    const { account_id: _, retain_until, ...fields } = newMessage({ account_id, id, recipient });
    bucket.set(
      id,
      `Subject: canary subject\r\n\r\n${"text of the canary ".repeat(chance(0.1) ? 20_000 : 5)}`,
    );
    const message = { ...fields, retain_until: new Date(retainUntil).toISOString() };
    const events: object[] = [{ type: "message.stored", id: uuid(), account_id, message, raw_email: id }];
    for (const [type, counter] of [
      ["message.opened", "open_count"],
      ["message.clicked", "click_count"],
    ]) {
      for (let n = 0; n < 3; n++) {
        const event = { type, id: uuid(), account_id, message: { id } };
        model.sends(id, counter as string, event.id);
        events.push(event);
      }
    }
    for (const event of events.toSorted(() => scheduler.random() - 0.5)) {
      await passGate();
      send(event);
    }
  };

  const readEmail = async (key: string): Promise<Uint8Array> => {
    await passGate();
    if (chance(0.1)) throw new EventRejectedError("its raw email is not in the bucket");
    return Buffer.from(bucket.get(key) ?? "");
  };
  /** One invocation of RecordEvents with what the queue has, out of order. */
  const takeBatch = async () => {
    const visible = queue.filter(({ visibleAt }) => visibleAt <= scheduler.now());
    const batch = visible.toSorted(() => scheduler.random() - 0.5).slice(0, 10);
    if (batch.length === 0) return;
    for (const letter of batch) {
      letter.receives++;
      letter.visibleAt = scheduler.now() + 12 * 60_000;
    }
    const handler = recordEvents(table, readEmail, clock, async () => {});
    const failed = await deliver(
      handler,
      batch.map(({ id, body, receives }) => ({ messageId: id, body, receiveCount: receives })),
      contextOf(120_000).getRemainingTimeInMillis,
    );
    for (const letter of batch) {
      const isFailed = failed.includes(letter.id);
      letter.visibleAt = scheduler.now() + 1000 * retrySeconds(letter.receives);
      const isDead = isFailed && letter.receives >= receivesWithin(60 * 60);
      if (isDead) deadLetters.push(letter);
      if (isDead || (!isFailed && chance(0.95))) queue = queue.filter((other) => other !== letter);
      const { message, type } = JSON.parse(letter.body);
      const known = model.messages.get(message.id);
      if (!isFailed && type === "message.stored" && known) known.storedAt ??= scheduler.now();
    }
  };

  const command = async (...args: string[]) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const status = await runAdmin(args, { print, complain: () => {}, input: process.stdin });
    return { status, lines };
  };
  /** Until when an erasure of a person may still delete. A command that was stopped deletes nothing any more. */
  const erasedUntil = new Map<string, number>();
  const importOne = async () => {
    const { account_id } = oneOf(accounts);
    const subject = `canary subject ${Math.floor(scheduler.random() * 5)}`;
    const file = join(folder, `${subject}.eml`);
    const recipient = oneOf(people);
    writeFileSync(
      file,
      `Subject: ${subject}\r\nFrom: <hello@canary.example>\r\nTo: <${recipient}>\r\n\r\nHello`,
    );
    const start = scheduler.now();
    const { status, lines } = await command(
      "import-message",
      "--account",
      account_id,
      "--domain",
      account_id,
      file,
      "--json",
    );
    const [{ id, is_deleted }] = lines.map((line) => JSON.parse(line)).concat({});
    if (status > 0 || is_deleted) return;
    owners.set(id, account_id);
    if (model.messages.has(id)) return;
    model.messages.set(id, {
      retainUntil: start + 30 * dayMilliseconds,
      recipient,
      isExact: false,
      storedAt: scheduler.now(),
      sent: new Map(),
      ...((erasedUntil.get(recipient) ?? 0) >= start && { deletionStarted: start }),
    });
  };
  const deleteOne = async () => {
    const ids = [...model.messages].filter(([, { storedAt }]) => storedAt !== undefined).map(([id]) => id);
    if (ids.length === 0) return;
    const id = oneOf(ids);
    const message = model.messages.get(id);
    if (!message) return;
    message.deletionStarted ??= scheduler.now();
    const { status } = await command("delete-message", id, "--account", owners.get(id) ?? "");
    if (status === 0) message.deleted ??= scheduler.now();
  };
  const removeOne = async () => {
    const { account_id } = oneOf(accounts);
    const email = oneOf(people);
    model.removalStarted(`${account_id} ${email}`);
    await command("remove-member", email, "--account", account_id);
  };
  const eraseOne = async () => {
    const email = oneOf(people);
    model.erasureStarted(email);
    const theirs = [...model.messages.values()].filter(({ recipient }) => recipient === email);
    const stored = theirs.filter(({ storedAt }) => storedAt !== undefined);
    for (const message of theirs) message.deletionStarted ??= scheduler.now();
    erasedUntil.set(email, Number.POSITIVE_INFINITY);
    const { status } = await command("erase-person", email, "--delete");
    erasedUntil.set(email, scheduler.now());
    if (status > 0) return;
    for (const message of stored) message.deleted ??= scheduler.now();
  };
  /** The revoked key is replaced, so that its account goes on. */
  const revokeOne = async () => {
    const index = Math.floor(scheduler.random() * accounts.length);
    const old = accounts[index] as Caller;
    const { status: created, lines } = await command("create-api-key", "--account", old.account_id, "--json");
    if (created > 0) return;
    const [{ api_key, id }] = lines.map((line) => JSON.parse(line));
    accounts[index] = { ...old, secret: api_key, id };
    model.revoked.set(old.secret, { start: scheduler.now(), end: Number.POSITIVE_INFINITY });
    const { status } = await command("revoke-api-key", old.id);
    if (status === 0) model.revoked.set(old.secret, { start: 0, end: scheduler.now() });
  };

  const replaced: Caller[] = [];
  /** The old key works for twelve hours more. Its caller does not know yet, and goes on with it. */
  const rotateOne = async () => {
    const index = Math.floor(scheduler.random() * accounts.length);
    const old = accounts[index] as Caller;
    const { status, lines } = await command("rotate-api-key", old.id, "--grace", "12h", "--json");
    if (status > 0) return;
    const [{ api_key, id, replaces }] = lines.map((line) => JSON.parse(line));
    model.graces.set(old.secret, Date.parse(replaces.expires_at));
    accounts[index] = { ...old, secret: api_key, id };
    replaced.push(old);
  };
  /** Reads at the very millisecond at which a message expires. */
  const readAtExpiry = async () => {
    const soon = [...model.messages].filter(
      ([, { isExact, retainUntil }]) => isExact && retainUntil > scheduler.now(),
    );
    if (soon.length === 0) return;
    const [id, { retainUntil }] = oneOf(soon);
    const caller = accounts.find(({ account_id }) => owners.get(id) === account_id) as Caller;
    const exactly = getMessage(table, () => retainUntil);
    const stream = new Writable({ write: (_chunk, _, done) => done() });
    await invoke(exactly, getMessageEvent(caller, id), stream, contextOf(300_000));
    const status = statuses.get(stream)?.statusCode ?? 0;
    model.checkStatus(status, [404]);
  };

  /** What happens, and how often. To add an operation, write an async function above, tell the model, and list it here. */
  const operations = [
    { name: "caller adds a member", weight: 6, act: addMember },
    { name: "caller reads a message", weight: 6, act: readSome },
    { name: "pipeline reports a message", weight: 3, act: reportMessage },
    { name: "worker takes a batch", weight: 8, act: takeBatch },
    { name: "command import-message", weight: 2, act: importOne },
    { name: "command delete-message", weight: 1, act: deleteOne },
    { name: "command remove-member", weight: 1, act: removeOne },
    { name: "command erase-person", weight: 0.3, act: eraseOne },
    { name: "command revoke-api-key", weight: 0.5, act: revokeOne },
    { name: "command rotate-api-key", weight: 0.7, act: rotateOne },
    { name: "caller reads at the expiry", weight: 1, act: readAtExpiry },
  ];
  const total = operations.reduce((sum, { weight }) => sum + weight, 0);
  const pick = () => {
    let left = scheduler.random() * total;
    return operations.find(({ weight }) => {
      left -= weight;
      return left <= 0;
    });
  };

  return {
    /** Starts some operations at once, and lets them run until all have ended. */
    hour: async () => {
      for (let n = 0; n < 6; n++) {
        const { name, act } = pick() ?? { name: "caller", act: readSome };
        spawn(name, act);
      }
      await scheduler.run();
    },
    /** Delivers what is left in the queue, without faults. */
    drain: async () => {
      while (queue.length > 0) {
        scheduler.advance(15 * 60_000);
        spawn("worker", takeBatch);
        await scheduler.run();
      }
      return deadLetters.map(({ body }): string => JSON.parse(body).message.id);
    },
    read: async (id: string, on = table) => {
      const caller = accounts.find(({ account_id }) => owners.get(id) === account_id) as Caller;
      return read(caller, id, on);
    },
    /** The status that a key gets which was revoked or replaced during the month. */
    statusesOfOldKeys: async (on: Table) => {
      const old = [...model.revoked.keys(), ...replaced.map(({ secret }) => secret)];
      const { account_id = "" } = accounts[0] ?? {};
      const tries = old.map((secret) => read({ account_id, secret, id: "" }, uuid(), on));
      return (await Promise.all(tries)).map(({ status }) => status);
    },
    command,
    secrets: () => [...accounts, ...replaced].map(({ secret }) => secret).concat(...model.revoked.keys()),
  };
};

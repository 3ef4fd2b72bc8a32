/** Callers of the service. They check each response, and remember the responses that must not change. */
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { roles } from "../../lib/members/member.ts";
import { sha256 } from "../../lib/table/keys.ts";
import { bearer } from "../harness/service.ts";

/** A request with an idempotency key, and its stored response. */
type Use = { account: Account; key: string; body: string; response?: { status: number; body: string } };

export type Account = { account_id: string; secret: string };
export type StoredMessage = { account: Account; id: string; sha256: string };

export const oneOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

/** Returns a signal for a caller who leaves in the middle of a call. */
export const afterAMoment = (): AbortSignal => AbortSignal.timeout(Math.ceil(Math.random() * 10));

/** @throws Error if a response breaks the contract, or differs from the first response with the same key */
export const startCallers = (url: string, accounts: readonly Account[], messages: readonly StoredMessage[]) => {
  const uses: Use[] = [];
  const tally: Record<string, number> = {};
  const count = (event: string) => {
    tally[event] = (tally[event] ?? 0) + 1;
  };

  const newUse = (): Use => {
    const email = `${randomBytes(2).toString("hex")}@example.com`; // Few addresses, so that accounts share users.
    const body = JSON.stringify({ email, role: oneOf(roles) });
    return { account: oneOf(accounts), key: randomUUID(), body };
  };

  /** Sends the request. Returns the status, or 503 if the connection failed. */
  const add = async (use: Use): Promise<number> => {
    const { account, key, body } = use;
    const headers = { ...bearer(account.secret), "Content-Type": "application/json", "Idempotency-Key": key };
    const sent = fetch(`${url}/v2/accounts/${account.account_id}/members`, { method: "POST", headers, body });
    const received = await sent.catch(() => undefined); // An idle connection may close at its next use.
    count(`Add Account Member ${received?.status ?? "failed connection"}`);
    if (!received) return 503;
    const response = { status: received.status, body: await received.text() };
    if (response.status === 503) return 503;
    if (response.status !== 201 && response.status !== 409) throw new Error(`Unexpected: ${response.body}`);
    if (use.response && JSON.stringify(use.response) !== JSON.stringify(response))
      throw new Error(`The key ${use.key} returned ${response.body} after ${use.response.body}`);
    use.response ??= response;
    return response.status;
  };

  const addSomeone = async (): Promise<void> => {
    const use = Math.random() < 0.3 && uses.length > 0 ? oneOf(uses) : newUse();
    if (!uses.includes(use)) uses.push(use);
    await Promise.all(Math.random() < 0.2 ? [add(use), add(use), add(use)] : [add(use)]);
  };

  /** Reads a message at once, slowly or partly. A complete body must be the message. */
  const getSomething = async (): Promise<void> => {
    const { account, id, sha256: expected } = oneOf(messages);
    const message = `${url}/v2/accounts/${account.account_id}/messages/${id}`;
    const headers = { ...bearer(account.secret), "Accept-Encoding": oneOf(["identity", "gzip", "zstd"]) };
    const manner = oneOf("at once|at once|at once|slowly|leaves|leaves before the first byte".split("|"));
    if (manner === "leaves before the first byte") {
      await fetch(message, { headers, signal: afterAMoment() }).catch(() => {});
      return count("Get Message, caller left before the first byte");
    }
    const leaving = new AbortController();
    const response = await fetch(message, { headers, signal: leaving.signal }).catch(() => undefined);
    if (!response) return count("Get Message, broke off before its first byte");
    if (response.status === 503) {
      await response.text();
      return count("Get Message 503");
    }
    if (response.status !== 200) throw new Error(`Unexpected: ${response.status}`);
    const read = async (): Promise<string> => {
      let text = "";
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        if (manner === "slowly") await sleep(20);
        if (manner === "leaves") leaving.abort();
      }
      return text;
    };
    const text = await read().catch(() => undefined);
    if (text === undefined) return count(`Get Message, ${manner === "leaves" ? "reader left" : "broke off"}`);
    if (sha256(text) !== expected) throw new Error(`The message ${id} has another content`);
    count("Get Message 200");
  };

  const callUntil = async (end: number): Promise<void> => {
    while (performance.now() < end) await (Math.random() < 0.5 ? addSomeone() : getSomething());
  };

  return {
    uses,
    tally,
    run: async (callers: number, milliseconds: number): Promise<void> => {
      const end = performance.now() + milliseconds;
      await Promise.all(Array.from({ length: callers }, () => callUntil(end)));
    },
    /** Repeats every request until it has its response. */
    settle: async (callers: number): Promise<void> => {
      const left = uses.values();
      const repeat = async () => {
        for (const use of left) while ((await add(use)) === 503) await sleep(100);
      };
      await Promise.all(Array.from({ length: callers }, repeat));
    },
  };
};

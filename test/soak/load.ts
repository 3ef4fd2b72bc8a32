/** Callers of the service: what they ask, and what they remember of its answers. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { roles } from "../../lib/members/member.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A request that may be repeated, and the answer that it has had, if it was one that is kept. */
type Use = { account: number; key: string; body: string; answer?: { status: number; body: string } };

export type Account = { account_id: string; secret: string };
export type StoredMessage = { account: number; id: string; sha256: string };

export type Tally = Record<string, number>;

const oneOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

/** @throws Error on an answer that the contract does not have, or that differs from the first one under its key */
export const startCallers = (
  url: string,
  accounts: readonly Account[],
  messages: readonly StoredMessage[],
) => {
  const uses: Use[] = [];
  const tally: Tally = {};
  const count = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1;
  };
  const headersOf = (account: number) => ({ Authorization: `Bearer ${accounts[account]?.secret}` });

  const newUse = (): Use => {
    const email = `${randomBytes(2).toString("hex")}@example.com`; // few enough for users to meet
    return {
      account: Math.floor(Math.random() * accounts.length),
      key: randomUUID(),
      body: JSON.stringify({ email, role: oneOf(roles) }),
    };
  };

  /** Sends the request; an answer that is kept must be the one that was heard before. */
  const add = async (use: Use): Promise<number> => {
    const response = await fetch(`${url}/v2/accounts/${accounts[use.account]?.account_id}/members`, {
      method: "POST",
      headers: { ...headersOf(use.account), "Content-Type": "application/json", "Idempotency-Key": use.key },
      body: use.body,
    }).catch(() => undefined); // a connection that was kept, and ends just as it is used again
    if (!response) {
      count("Add Account Member, no answer");
      return 503;
    }
    const answer = { status: response.status, body: await response.text() };
    count(`Add Account Member ${answer.status}`);
    if (answer.status === 503) return 503;
    if (answer.status !== 201 && answer.status !== 409)
      throw new Error(`Not of the contract: ${answer.body}`);
    if (use.answer && JSON.stringify(use.answer) !== JSON.stringify(answer)) {
      throw new Error(`The key ${use.key} returned ${answer.body} after ${use.answer.body}`);
    }
    use.answer ??= answer;
    return answer.status;
  };

  const addSomeone = async (): Promise<void> => {
    const use = Math.random() < 0.3 && uses.length > 0 ? oneOf(uses) : newUse();
    if (!uses.includes(use)) uses.push(use);
    await Promise.all(Math.random() < 0.2 ? [add(use), add(use), add(use)] : [add(use)]);
  };

  /** Reads a message: at once, slowly, or not to its end. What is read to its end is the message. */
  const getSomething = async (): Promise<void> => {
    const { account, id, sha256: expected } = oneOf(messages);
    const leaving = new AbortController();
    const response = await fetch(`${url}/v2/accounts/${accounts[account]?.account_id}/messages/${id}`, {
      headers: { ...headersOf(account), "Accept-Encoding": oneOf(["identity", "gzip", "zstd"]) },
      signal: leaving.signal,
    }).catch(() => undefined);
    if (!response) return count("Get Message, broke off before its first byte");
    if (response.status === 503) {
      await response.text();
      return count("Get Message 503");
    }
    if (response.status !== 200) throw new Error(`Not of the contract: ${response.status}`);
    const manner = oneOf(["at once", "at once", "at once", "slowly", "leaves"]);
    try {
      let text = "";
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (manner === "slowly") await sleep(20);
        if (manner === "leaves") leaving.abort();
      }
      if (sha256(text) !== expected) throw new Error("Another message", { cause: "content" });
      count("Get Message 200");
    } catch (error) {
      if ((error as Error).cause === "content") throw error;
      count(manner === "leaves" ? "Get Message, reader left" : "Get Message, broke off");
    }
  };

  const callUntil = async (end: number): Promise<void> => {
    while (performance.now() < end) await (Math.random() < 0.5 ? addSomeone() : getSomething());
  };

  return {
    uses,
    tally,
    /** Calls from so many callers at a time, for so many milliseconds. */
    run: async (callers: number, milliseconds: number): Promise<void> => {
      const end = performance.now() + milliseconds;
      await Promise.all(Array.from({ length: callers }, () => callUntil(end)));
    },
    /** Repeats every request until it has its answer, so many at a time. */
    settle: async (callers: number): Promise<void> => {
      const left = uses.values();
      const repeat = async () => {
        for (const use of left) while ((await add(use)) === 503) await sleep(100);
      };
      await Promise.all(Array.from({ length: callers }, repeat));
    },
  };
};

/**
 * Exactly once: a response is stored in the very transaction that does what it reports, so that neither
 * ever exists without the other. There is no state in progress, no lease and no lock to be left behind.
 *
 *   first use                                  + 24 h
 *   ├── same request: replayed ────────────────┤── a new key
 *   ├── other request: 422 ────────────────────┤
 */
import { absentOrExpired, epochSeconds, nowValue } from "../table/expiry.ts";
import { idempotencyKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { type Refusal, transact, type Write } from "../table/transact.ts";
import { ApiError } from "./errors.ts";
import type { Response } from "./response.ts";

const lifetimeSeconds = 24 * 60 * 60;

/** A response that can be stored: its body is whole. */
export type StorableResponse = Response & { body: string };

/** Answers a request once; from then on, its Idempotency-Key answers what was stored. */
export type Once = {
  /**
   * Makes all writes and stores the response, or does nothing. Answers the response to send, which is the
   * first one where the key has been used before; or the items that refused a write, by the write's name,
   * for the operation to decide upon.
   *
   * @throws ApiError 422 when the key was used with a different request.
   * @throws TableBusyError when the table stays busy.
   */
  commit: <Name extends string>(
    response: StorableResponse,
    writes: Partial<Record<Name, Write>>,
  ) => Promise<
    { response: StorableResponse; refusal?: never } | { response?: never; refusal: Refusal<Name> }
  >;
  /** The same for a response that reports no write. */
  store: (response: StorableResponse) => Promise<StorableResponse>;
};

type StoredResponse = { fingerprint: string; status: number; body: string };

const replay = ({ status, body }: StoredResponse): StorableResponse => ({
  status,
  body,
  headers: { "Idempotent-Replayed": "true" },
});

/** @param use.key the caller's Idempotency-Key; without one, the writes are made and nothing is stored */
export const once = (
  table: Table,
  use: { account_id: string; key: string | undefined; fingerprint: string },
  now: number,
): Once => {
  const putRecord = (key: string, { status, body }: StorableResponse): Write => ({
    Put: {
      TableName: table.name,
      Item: {
        ...idempotencyKey(use.account_id, key),
        fingerprint: use.fingerprint,
        status,
        body,
        expires_at: epochSeconds(now) + lifetimeSeconds,
      },
      ConditionExpression: absentOrExpired,
      ExpressionAttributeValues: nowValue(now),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  });

  const commit: Once["commit"] = async (response, writes) => {
    const record: { record?: Write } = use.key === undefined ? {} : { record: putRecord(use.key, response) };
    const refusal: Refusal<string> | null = await transact<string>(table, { ...writes, ...record });
    if (!refusal) return { response };
    const stored = refusal.record as StoredResponse | undefined;
    if (!stored) return { refusal };
    if (stored.fingerprint !== use.fingerprint) {
      throw new ApiError(422, "The idempotency key was already used with a different request");
    }
    return { response: replay(stored) };
  };

  return {
    commit,
    store: async (response) =>
      use.key === undefined ? response : ((await commit(response, {})).response as StorableResponse),
  };
};

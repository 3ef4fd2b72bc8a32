/**
 * Idempotency. An operation's writes and its stored response go into one transaction, so a retry never finds one
 * without the other. We need no lock, no lease and no state "in progress".
 *
 *   first use                                  + 24 h
 *   ├── same request: replayed ────────────────┤── a new key
 *   ├── other request: 422 ────────────────────┤
 */

import { batched } from "../table/batched.ts";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { idempotencyRecordKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { daySeconds } from "../time.ts";
import { idempotencyKeyConflict, idempotencyKeyLength, idempotencyKeyReused } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type ApiMiddleware, type ApiRequest, headerValues } from "./request.ts";
import type { ApiResponse } from "./response.ts";

export type StorableResponse = ApiResponse & { body: string };

/** Makes the writes of a request at most once per Idempotency-Key. */
export type Once = {
  /**
   * Makes the writes and stores the response. If the Idempotency-Key was used before, `commit` writes nothing and
   * returns the stored response. If the condition of a write fails, `commit` writes nothing, and `failed` says which
   * write.
   *
   * @throws ApiError 422 if the Idempotency-Key was used with a different request
   * @throws TimeoutError or ThrottlingException if conflicts last longer than 20 s, or throttling lasts longer than 1 s
   */
  commit: (
    response: StorableResponse,
    writes: readonly Write[],
  ) => Promise<{ response: StorableResponse; failed?: never } | { response?: never; failed: FailedConditions }>;
  /** Stores a response without any writes, such as a 409. */
  store: (response: StorableResponse) => Promise<StorableResponse>;
};

/** Sorts the fields of JSON, so that two requests are the same whatever the order of their fields. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value === "number") return String(value); // JSON.stringify writes Infinity (1e400) as null.
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)}}`;
};

const digestOf = ({ method, path }: Operation, parameters: AccountPath, body: unknown): string =>
  sha256(`${method} ${path} ${canonical(parameters)} ${canonical(body)}`);

type Use = { account_id: string; key: string; digest: string };

type StoredResponse = { digest: string; status: number; body: string; expires_at: number };

const toReplay = (stored: StoredResponse, use: Use): StorableResponse => {
  if (stored.digest !== use.digest) throw new ApiError(idempotencyKeyReused);
  return { status: stored.status, body: stored.body, headers: { "Idempotent-Replayed": "true" } };
};

/** An eventually consistent read costs half. If it misses a response of a moment ago, `commit` finds the response. */
const findReplay = async (table: Table, use: Use, now: number): Promise<StorableResponse | undefined> => {
  const stored = await getItem<StoredResponse>(table, idempotencyRecordKey(use.account_id, use.key));
  return stored && isLive(stored, now) ? toReplay(stored, use) : undefined;
};

const makeOnce = (table: Table, use: Use | undefined, now: number): Once => {
  const commit: Once["commit"] = async (response, writes) => {
    const { status, body } = response;
    const record =
      use &&
      putIfAbsent<StoredResponse>(
        table,
        idempotencyRecordKey(use.account_id, use.key),
        { digest: use.digest, status, body, expires_at: epochSeconds(now) + daySeconds },
        now,
      );
    const failed = await transact(table, record ? [...writes, record] : writes);
    if (!failed) return { response };
    const stored = record && failed.get(record);
    return use && stored ? { response: toReplay(stored, use) } : { failed };
  };

  return {
    commit,
    store: async (response) => (use && (await commit(response, [])).response) ?? response,
  };
};

/** With an Idempotency-Key, one {@link batched} call reads the stored response together with the item of `prefetch`. */
export const header = ({ idempotent }: Operation): ApiMiddleware => ({
  before: ({ context: { request } }) => {
    const [key, ...others] = new Set(idempotent ? headerValues(request, "idempotency-key") : []);
    if (others.length > 0) throw new ApiError(idempotencyKeyConflict);
    if (key === undefined) return;
    if (key.length < 1 || key.length > 255) throw new ApiError(idempotencyKeyLength);
    request.idempotencyKey = key;
    request.table = batched(request.table);
  },
});

type Replay = { once: Once; stored: Promise<StorableResponse | undefined> | undefined };

export const startReplay = (
  operation: Operation,
  { table, now, path, idempotencyKey: key, json }: ApiRequest,
): Replay => {
  const use =
    key === undefined ? undefined : { account_id: path.account_id, key, digest: digestOf(operation, path, json) };
  return { once: makeOnce(table, use, now), stored: use && findReplay(table, use, now) };
};

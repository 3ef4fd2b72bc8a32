/** The operation's writes and the stored response go into one transaction, so they succeed or fail together. */
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { type ItemKey, idempotencyRecordKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { daySeconds } from "../time/clock.ts";
import { idempotencyKeyConflict, idempotencyKeyLength, idempotencyKeyReused } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { headerValues, type Received } from "./request.ts";
import type { ApiResponse } from "./response.ts";

export type StorableResponse = ApiResponse & { body: string };

export type Once = {
  /**
   * Makes the operation's writes and, in the same transaction, stores its response. If the Idempotency-Key was used
   * before, we only return the stored response. If another condition fails, nothing is written, and `failed` is
   * returned.
   *
   * @throws ApiError 422 if the Idempotency-Key was used with a different request
   * @throws the errors of {@link transact}
   */
  commit: (
    response: StorableResponse,
    writes: readonly Write[],
  ) => Promise<{ response: StorableResponse; failed?: never } | { response?: never; failed: FailedConditions }>;
  /** Stores the response to a request that changed nothing, such as a 409. */
  store: (response: StorableResponse) => Promise<StorableResponse>;
};

/**
 * Writes objects with sorted keys, because a retry may send the same fields in another order, and without nulls, because
 * null in an optional field means left out. (A required field with null has been rejected.)
 */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value === "number") return String(value); // JSON.stringify writes Infinity (1e400) as null.
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const given = Object.entries(value).filter(([, field]) => field !== null);
  const fields = given.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)}}`;
};

const digestOf = ({ method, path }: Operation, parameters: AccountPath, body: unknown): string =>
  sha256(`${method} ${path} ${canonical(parameters)} ${canonical(body)}`);

type StoredResponse = { digest: string; status: number; body: string; expires_at: number };

type Use = { record: ItemKey; digest: string };

const toReplay = (stored: StoredResponse, use: Use): StorableResponse => {
  if (stored.digest !== use.digest) throw new ApiError(idempotencyKeyReused);
  return { status: stored.status, body: stored.body, headers: { "Idempotent-Replayed": "true" } };
};

/** This read is eventually consistent: if it misses the stored response, the transaction in `commit` finds it. */
const findReplay = async (table: Table, use: Use, now: number): Promise<StorableResponse | undefined> => {
  const stored = await getItem<StoredResponse>(table, use.record);
  return stored && isLive(stored, now) ? toReplay(stored, use) : undefined;
};

const makeOnce = (table: Table, use: Use | undefined, now: number): Once => {
  const commit: Once["commit"] = async (response, writes) => {
    const { status, body } = response;
    const expires_at = epochSeconds(now) + daySeconds;
    const record = use && putIfAbsent(table, use.record, { digest: use.digest, status, body, expires_at }, now);
    const failed = await transact(table, record ? [...writes, record] : writes);
    if (!failed) return { response };
    const stored = record && failed.get(record);
    return use && stored ? { response: toReplay(stored, use) } : { failed };
  };

  return { commit, store: async (response) => (use && (await commit(response, [])).response) ?? response };
};

type Identified = { idempotencyKey: string | undefined };

export const header =
  ({ idempotent }: Operation) =>
  (request: Received): Identified => {
    const [idempotencyKey, ...others] = new Set(idempotent ? headerValues(request, "idempotency-key") : []);
    if (others.length > 0) throw new ApiError(idempotencyKeyConflict);
    if (idempotencyKey === "" || (idempotencyKey?.length ?? 0) > 255) throw new ApiError(idempotencyKeyLength);
    return { idempotencyKey };
  };

type Checked = Received & Identified & { path: AccountPath; json: unknown };

export const startReplay = (operation: Operation, { table, now, path, idempotencyKey, json }: Checked) => {
  const record = idempotencyKey === undefined ? undefined : idempotencyRecordKey(path.account_id, idempotencyKey);
  const use = record && { record, digest: digestOf(operation, path, json) };
  return { once: makeOnce(table, use, now), stored: use && findReplay(table, use, now) };
};

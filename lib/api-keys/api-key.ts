/** An API key, as each request looks it up. */
import { isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { apiKeyKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";

/** `id` is the secret's SHA-256 digest in hex. */
export type ApiKey = {
  id: string;
  account_id: string;
  scopes: string[];
  label?: string | undefined;
  created_at: string;
  revoked_at?: string;
  /** In seconds since the epoch. Without `expires_at`, a key never expires. */
  expires_at?: number | undefined;
};

export const idOfSecret = (secret: string): string => sha256(secret);

/** The result may be a revoked or expired key: check {@link isUsable}. A consistent read makes revocation immediate. */
export const findApiKey = (table: Table, id: string): Promise<ApiKey | undefined> =>
  getItem<ApiKey>(table, apiKeyKey(id), { consistent: true });

export const isUsable = (apiKey: ApiKey, now: number): boolean => isLive(apiKey, now) && !apiKey.revoked_at;

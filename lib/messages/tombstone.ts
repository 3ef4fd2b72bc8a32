/** A tombstone: an item under the key of a head with none of a message's data and an expiry in the past. */
import { randomUUID } from "node:crypto";
import type { PutCommandInput } from "@aws-sdk/lib-dynamodb";
import { epochSeconds } from "../table/expiry.ts";
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { daySeconds } from "../time.ts";
import type { MessageRef } from "./events.ts";

/** An expiry one day ago is past even for a slow clock. TTL ignores items that expired over 5 years ago. */
const ageSeconds = daySeconds;

/** The tombstone's random `content_digest` makes the condition of every store that began earlier fail. */
export const tombstonePut = (table: Table, { account_id, id }: MessageRef, now: number): PutCommandInput => ({
  TableName: table.name,
  Item: {
    ...headKey(account_id, id),
    content_digest: randomUUID(),
    expires_at: epochSeconds(now) - ageSeconds,
  },
});

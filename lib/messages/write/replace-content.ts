/** Replaces the content of a stored message, for example by none. */
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { live, nowValue } from "../../table/expiry.ts";
import { headKey } from "../../table/keys.ts";
import { succeeds } from "../../table/retry.ts";
import type { Table } from "../../table/table.ts";
import type { Compressed } from "../content/compression.ts";
import { deleteListed, discardSegments, listSegments, writeSegments } from "../content/write-segments.ts";
import type { Head } from "../head.ts";

/** An update of a live head, under the condition that its content is still the one of `head`. */
export const contentUpdate = (head: Head, fields: Partial<Head>, now: number) => {
  const changed = Object.entries(fields);
  return {
    UpdateExpression: `SET ${changed.map(([name]) => `#${name} = :${name}`).join(", ")}`,
    ConditionExpression: `(${live}) AND content_digest = :existing`,
    ExpressionAttributeNames: Object.fromEntries(changed.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(changed.map(([name, value]) => [`:${name}`, value])),
      ":existing": head.content_digest,
      ...nowValue(now),
    },
  };
};

/** Returns false if somebody else has just deleted the message or replaced its content. */
export const replaceContent = async (
  table: Table,
  head: Head,
  content: Compressed,
  changes: Partial<Head>,
  now: number,
): Promise<boolean> => {
  const written = await writeSegments(table, head, content, head.content_digest);
  // We list the old segments before the update: after it, another call could add segments that we must not delete.
  const obsolete = await listSegments(table, head, written);
  const Key = headKey(head.account_id, head.id);
  const command = new UpdateCommand({
    TableName: table.name,
    Key,
    ...contentUpdate(head, { ...written, ...changes }, now),
  });
  if (!(await succeeds(() => table.client.send(command), table.deadline))) {
    await discardSegments(table, head, written, head.content_digest, now);
    return false;
  }
  await deleteListed(table, head, obsolete);
  return true;
};

/**
 * Commits a message: first its segments, which nobody sees, and then in one transaction the head, the marker, and
 * whatever the caller adds, such as the record of an event.
 *
 *   nothing, expired or a tombstone ──▶ put the head
 *   stored without an email, and this is its email ──▶ add the content
 *   stored ──▶ nothing to do, if it is the same message
 */
import { normalAddress } from "../../addresses/person.ts";
import { absent, isLive } from "../../table/expiry.ts";
import { getItem } from "../../table/get.ts";
import { headKey, personKey, recipientKey } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { type FailedConditions, transact } from "../../table/transact.ts";
import { type Item, put as putItem, update, type Write } from "../../table/writes.ts";
import { noContent } from "../content/compression.ts";
import type { Pages } from "../content/pages.ts";
import { discardSegments, writeSegments } from "../content/write-segments.ts";
import type { ContentFields, Head } from "../head.ts";
import { markStored, readMarker } from "../marker.ts";
import { RejectedError } from "../rejected-error.ts";
import type { Draft } from "./draft-message.ts";
import { contentUpdate } from "./replace-content.ts";

/** Each try that fails means that another call has just written the head. */
const mostTries = 10;

/** Thrown if others kept writing the head. A retry is safe. */
export class MessageBusyError extends Error {
  override readonly name = "MessageBusyError";
}

/** `expired`: an operator has removed the content, so the email isn't stored again. */
export type Stored = "stored" | "content added" | "there already" | "deleted" | "expired";

const envelope = ["direction", "sender", "recipient"] as const;
/** A later version may read these from the same email in another way, so they are compared only without the emails. */
const headers = ["message_id", "subject"] as const;

const normal = (name: (typeof envelope | typeof headers)[number], head: Draft["head"]): string =>
  name === "sender" || name === "recipient" ? normalAddress(head[name]) : head[name];

/** @throws RejectedError if the head is of another message */
const compare = (head: Head, draft: Draft["head"]): void => {
  const haveEmails = head.digest !== "" && draft.digest !== "";
  if (haveEmails && head.digest !== draft.digest) {
    throw new RejectedError(`a message with another email has the id ${head.id}`);
  }
  const names = haveEmails ? envelope : [...envelope, ...headers];
  const differing = names.filter((name) => normal(name, head) !== normal(name, draft));
  if (differing.length === 0) return;
  throw new RejectedError(`a message with another ${differing.join(" and ")} has the id ${head.id}`);
};

/** What is left to write. `replaced` is the digest of the item that the head's write replaces. */
type Plan = { outcome: Stored; writes?: Write[]; written?: Pages; replaced?: string | undefined };

const addContent = async (table: Table, head: Head, draft: Draft, now: number): Promise<Plan> => {
  if (head.content_removed_at) return { outcome: "expired" };
  const { content_digest: replaced } = head;
  const written = await writeSegments(table, head, await draft.content(), replaced);
  const { digest, updated_at } = draft.head;
  const change = contentUpdate(head, { ...written, digest, updated_at }, now);
  const fails = (found: Item | undefined) => found?.content_digest !== replaced;
  const write = update(table, headKey(head.account_id, head.id), change, fails);
  return { outcome: "content added", writes: [write], written, replaced };
};

const putHead = (table: Table, { head }: Draft, written: ContentFields, replaced: string | undefined): Write => {
  const key = headKey(head.account_id, head.id);
  const put = {
    TableName: table.name,
    Item: { ...key, ...head, ...written },
    ConditionExpression: replaced === undefined ? absent : "content_digest = :replaced",
    ExpressionAttributeValues: replaced === undefined ? undefined : { ":replaced": replaced },
  };
  const fails = (found: Item | undefined): found is Item => found?.content_digest !== replaced;
  return { key, transactItem: { Put: put }, fails };
};

const plan = async (table: Table, draft: Draft, now: number): Promise<Plan> => {
  const { account_id, id } = draft.head;
  const key = headKey(account_id, id);
  const [existing, marker] = await Promise.all([
    getItem<Head>(table, key, { consistent: true }),
    readMarker(table, draft.head),
  ]);
  if (marker?.deleted_at) return { outcome: "deleted" };
  if (existing && isLive(existing, now)) {
    compare(existing, draft.head);
    const isNew = draft.head.digest !== "" && existing.digest === "";
    return isNew ? addContent(table, existing, draft, now) : { outcome: "there already" };
  }
  const replaced = existing?.content_digest;
  const written = await writeSegments(table, draft.head, await draft.content(), replaced);
  const { created_at, expires_at } = draft.head;
  const others = (draft.others ?? []).map((address) =>
    putItem(table, recipientKey(account_id, id, address), { person: personKey(address), created_at, expires_at }),
  );
  return { outcome: "stored", writes: [putHead(table, draft, written, replaced), ...others], written, replaced };
};

/** The writes of a message without an email, if nothing has its id. */
export const firstWrites = async (table: Table, draft: Draft): Promise<Write[]> => {
  const written = await writeSegments(table, draft.head, noContent);
  return [putHead(table, draft, written, undefined), markStored(table, draft.head, draft.head.expires_at)];
};

export type Committed = { outcome: Stored; failed?: never } | { outcome?: never; failed: FailedConditions };

/**
 * @param beside writes of the same transaction. If one of them fails, nothing is written, and we return `failed`
 * @throws RejectedError if another message, or one with another email, has the id
 * @throws MessageBusyError if ten tries met ten other writers
 */
export const commitMessage = async (
  table: Table,
  draft: Draft,
  now: number,
  beside: readonly Write[] = [],
): Promise<Committed> => {
  const mark = markStored(table, draft.head, draft.head.expires_at);
  for (let tries = 0; tries < mostTries; tries++) {
    const { outcome, writes = [], written, replaced } = await plan(table, draft, now);
    if (outcome === "deleted" || (writes.length === 0 && beside.length === 0)) return { outcome };
    const failed = await transact(table, writes.length > 0 ? [...writes, mark, ...beside] : beside);
    if (!failed) return { outcome };
    if (written) await discardSegments(table, draft.head, written, replaced, now);
    if (beside.some((one) => failed.get(one))) return { failed };
    if (failed.get(mark)) return { outcome: "deleted" };
  }
  throw new MessageBusyError("other calls kept writing the message");
};

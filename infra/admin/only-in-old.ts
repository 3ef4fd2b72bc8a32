/** What the old table got after the restore point: `prepare-table --from` lists it, and `--copy` copies it. */
import { BatchGetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { ApiKey } from "../../lib/api-keys/api-key.ts";
import type { StoredMember, User } from "../../lib/members/store.ts";
import { keysOf, listBesideHead } from "../../lib/messages/content/write-segments.ts";
import type { Head } from "../../lib/messages/head.ts";
import { markStored, readMarker } from "../../lib/messages/marker.ts";
import { isLive } from "../../lib/table/expiry.ts";
import { getItem } from "../../lib/table/get.ts";
import { apiKeyListingKey, headKey, headSort, type ItemKey, memberKey, userKey } from "../../lib/table/keys.ts";
import { patiently, retryWrite } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { transact } from "../../lib/table/transact.ts";
import { putIfAbsent, type Write } from "../../lib/table/writes.ts";

type Tables = { restored: Table; old: Table; now: number };

/** An item of the old table, with the fields that {@link scanOfOld} reads. */
export type OldItem = ItemKey & { created_at?: string } & Partial<
    Pick<ApiKey, "revoked_at" | "label"> & Pick<StoredMember, "email" | "role" | "user_id"> & Head
  >;

export type OnlyInOld = {
  kind: "key" | "user" | "member" | "message" | "message that differs";
  fields: object;
  text: string;
  /** Returns false if it can't be copied, because the restored table has something else in its place. */
  copy?: () => Promise<boolean>;
};

const sorts = { key: "API_KEY", user: userKey("").sk, member: memberKey("", "").sk };

/** Also reads what has been deleted or emptied, which is carried over. */
export const scanOfOld = (bytes: number | undefined) => ({
  FilterExpression:
    "attribute_exists(deleted_at) OR attribute_exists(content_removed_at) OR " +
    "(attribute_exists(created_at) AND (sk IN (:head, :key, :user) OR begins_with(sk, :member)))",
  ExpressionAttributeValues: { ":head": headSort, ":key": sorts.key, ":user": sorts.user, ":member": sorts.member },
  only: [
    ...["deleted_at", "content_removed_at", "created_at", "updated_at", "expires_at", "revoked_at"],
    ...["id", "account_id", "label", "email", "role", "user_id"],
  ],
  bytes,
});

type Found = ItemKey & { id?: string; created_at?: string; updated_at?: string };

const mostKeys = 100;
const mostPasses = 100;

const namesOfFound = { "#pk": "pk", "#sk": "sk", "#id": "id", "#created": "created_at", "#updated": "updated_at" };

/** Reads items by their keys, eventually consistent. */
const readAll = async (table: Table, keys: ItemKey[]): Promise<Map<string, Found>> => {
  const { client, name } = table;
  const found = new Map<string, Found>();
  let left = keys.map(({ pk, sk }) => ({ pk, sk }));
  for (let passes = 0; left.length > 0; passes++) {
    if (passes === mostPasses) throw new Error("The table reads too few items at a time. Run the command again");
    const Keys = left.slice(0, mostKeys);
    const projection = {
      ProjectionExpression: Object.keys(namesOfFound).join(", "),
      ExpressionAttributeNames: namesOfFound,
    };
    const command = new BatchGetCommand({ RequestItems: { [name]: { Keys, ...projection } } });
    const { Responses, UnprocessedKeys } = await patiently(table, () => client.send(command));
    for (const item of (Responses?.[name] ?? []) as Found[]) found.set(`${item.pk} ${item.sk}`, item);
    left = [...left.slice(mostKeys), ...((UnprocessedKeys?.[name]?.Keys ?? []) as ItemKey[])];
  }
  return found;
};

const putAbsent = async ({ restored, now }: Tables, items: (ItemKey & object)[]): Promise<boolean> => {
  const writes = items.map(({ pk, sk, ...fields }) => putIfAbsent(restored, { pk, sk }, fields, now));
  return (await transact(restored, writes)) === null;
};

const copyItems = async (tables: Tables, keys: ItemKey[]): Promise<boolean> => {
  const read = keys.map((key) => getItem<ItemKey>(tables.old, key, { consistent: true }));
  const items = (await Promise.all(read)).filter((item) => item !== undefined);
  return items.length > 0 && putAbsent(tables, items);
};

/** A membership is of no use without its user, and the restored table may have given the address to another user. */
const copyMember = async (tables: Tables, key: ItemKey, { email = "", user_id }: OldItem): Promise<boolean> => {
  const user = await getItem<User>(tables.restored, userKey(email), { consistent: true });
  return user?.id === user_id && copyItems(tables, [key]);
};

/** Writes in the order of a store: whatever belongs to the message, then the head with its marker. */
const copyMessage = async (tables: Tables, { account_id = "", id = "" }: OldItem): Promise<boolean> => {
  const { restored, old, now } = tables;
  const message = { account_id, id };
  if ((await readMarker(restored, message))?.deleted_at) return false;
  const head = await getItem<ItemKey & Head>(old, headKey(account_id, id), { consistent: true });
  if (!head || !isLive(head, now)) return false;
  const beside = await listBesideHead(old, message);
  const pages = beside.flatMap((listed) => (listed.pages ? keysOf(message, listed.pages).slice(1) : []));
  for (const { pk, sk } of [...beside, ...pages]) {
    const Item = await getItem(old, { pk, sk }, { consistent: true });
    const put = new PutCommand({ TableName: restored.name, Item });
    if (Item) await retryWrite(() => restored.client.send(put));
  }
  const { pk, sk, ...fields } = head;
  const writes: Write[] = [
    putIfAbsent(restored, { pk, sk }, fields, now),
    markStored(restored, message, head.expires_at),
  ];
  return (await transact(restored, writes)) === null;
};

const describeItem = (tables: Tables, item: OldItem): OnlyInOld => {
  const { pk, sk, account_id = "", id = "", created_at, email, role, user_id, label = null } = item;
  const key = { pk, sk };
  if (sk === headSort) {
    const fields = { account_id, id, created_at };
    const copy = () => copyMessage(tables, item);
    return { kind: "message", fields, text: `${account_id} ${id}   ${created_at}`, copy };
  }
  if (sk === sorts.key) {
    const copy = () => copyItems(tables, [key, apiKeyListingKey(account_id, id)]);
    return { kind: "key", fields: { account_id, id, label, created_at }, text: `${id} of ${account_id}`, copy };
  }
  if (sk === sorts.user) {
    return {
      kind: "user",
      fields: { id, email, created_at },
      text: `${id}   ${email}`,
      copy: () => copyItems(tables, [key]),
    };
  }
  const fields = { account_id, id, user_id, email, role };
  const copy = () => copyMember(tables, key, item);
  return { kind: "member", fields, text: `${account_id} ${user_id}   ${email}, ${role}`, copy };
};

/** A message's events since then are not copied: an event that is sent again counts once in each table. */
const differs = ({ account_id, id, updated_at }: OldItem, restored_at: string | undefined): OnlyInOld => ({
  kind: "message that differs",
  fields: { account_id, id, updated_at, restored_updated_at: restored_at },
  text: `${account_id} ${id}   changed at ${updated_at}, and in the restored table at ${restored_at}`,
});

/** @param items a page of {@link scanOfOld} */
export const onlyInOld = async (tables: Tables, items: OldItem[]): Promise<OnlyInOld[]> => {
  const { restored, now } = tables;
  const live = items.filter((item) => item.created_at && isLive(item, now) && !item.revoked_at);
  const found = await readAll(restored, live);
  const only: OnlyInOld[] = [];
  for (const item of live) {
    const key = { pk: item.pk, sk: item.sk };
    const theirs = found.get(`${item.pk} ${item.sk}`) ?? (await getItem<Found>(restored, key, { consistent: true }));
    const isOther = item.sk !== headSort && theirs?.id !== item.id;
    if (!theirs || isOther) only.push(describeItem(tables, item));
    else if (
      item.sk === headSort &&
      theirs.created_at &&
      theirs.updated_at !== item.updated_at &&
      !item.content_removed_at
    ) {
      only.push(differs(item, theirs.updated_at));
    }
  }
  return only;
};

/**
 * Restoring a table brings back what was revoked, removed or deleted after the restore point: keys, members, users,
 * messages and contents. `prepare-table --from OLD_TABLE` repeats in the restored table all revocations, removals and
 * deletions that it finds in the old one. The command never grants a right to anybody, and never adds data.
 *
 *   old table ──── restore point ──────── revoked, removed, deleted ─────▶ now
 *                        └─▶ restored table, where all of that is back
 */
import { DeleteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { ApiKey } from "../../lib/api-keys/api-key.ts";
import { revokeApiKey, shortenApiKey } from "../../lib/api-keys/store.ts";
import { removeMember, type StoredMember, type User } from "../../lib/members/store.ts";
import { listBesideHead } from "../../lib/messages/content/write-segments.ts";
import type { Head } from "../../lib/messages/head.ts";
import { type Marker, readMarker } from "../../lib/messages/marker.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../lib/messages/remove/remove-content.ts";
import { isLive } from "../../lib/table/expiry.ts";
import { getItem } from "../../lib/table/get.ts";
import { apiKeyListingKey, headKey, type ItemKey, itemTypes, memberKey } from "../../lib/table/keys.ts";
import { succeeds } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import { clockOf } from "./clock.ts";
import { report, type Shell } from "./command.ts";
import { haveItemsInCommon } from "./items-in-common.ts";
import { hasSegments } from "./message-command.ts";
import { type OldItem, type OnlyInOld, onlyInOld, scanOfOld } from "./only-in-old.ts";
import { announceScan, describeTable, itemByItem, scanTable } from "./scan.ts";

export const kinds = [
  "keys revoked",
  "keys that expire earlier",
  "members removed",
  "users deleted",
  "messages deleted",
  "contents removed",
  "deleted ids blocked",
  "roles that differ",
  "keys that only the restored table has",
] as const;
type Kind = (typeof kinds)[number];

/** The result is `undefined` if the restored table needed no change. */
type Change = () => Promise<Kind | undefined>;

type Tables = {
  restored: Table;
  old: Table;
  now: number;
  /** Users and members that functions created after the restore are not copies, so they stay as they are. */
  restoredAt: string;
  reportRole: (member: StoredMember, old: StoredMember) => void;
  reportUnknown: (apiKey: ApiKey) => Kind;
};

/** A function's clock may differ from the table's by seconds. In its first minute, a restored table accepts no writes yet. */
const clockMilliseconds = 60_000;

/** Deletes a message from the restored table, or completes a deletion that was interrupted. */
const carryDeletion = async ({ restored, now }: Tables, message: MessageRef): Promise<Kind | undefined> => {
  const { account_id, id } = message;
  const [marker, head, left] = await Promise.all([
    readMarker(restored, message),
    getItem<Head>(restored, headKey(account_id, id), { consistent: true }),
    listBesideHead(restored, message),
  ]);
  if (marker?.deleted_at && !head?.created_at && left.length === 0) return undefined;
  const deletion = await deleteMessage(restored, message, now, { force: true });
  return deletion === "deleted" || deletion === "completed" ? "messages deleted" : "deleted ids blocked";
};

const carryRemoval = async ({ restored, now }: Tables, message: MessageRef): Promise<Kind | undefined> => {
  const { account_id, id } = message;
  const head = await getItem<Head>(restored, headKey(account_id, id), { consistent: true });
  if (!head || !isLive(head, now)) return undefined;
  if (head.content_removed_at && !(await hasSegments(restored, message, head))) return undefined;
  return (await removeContent(restored, message, now)) ? "contents removed" : undefined;
};

type Marked = ItemKey & Marker & Pick<Head, "content_removed_at">;

const carryMessage = (tables: Tables, { pk, deleted_at }: Marked): Promise<Kind | undefined> => {
  const [, account_id = "", id = ""] = pk.split("#");
  return (deleted_at ? carryDeletion : carryRemoval)(tables, { account_id, id });
};

/**
 * Clocks don't count here: operators create keys, and only items tell for sure. If the old table has neither the key nor its
 * listing, the key was created in the restored table, or somebody deleted both by hand, and then we can't know.
 */
const carryKey = async (tables: Tables, apiKey: ApiKey, old: ApiKey | undefined): Promise<Change[]> => {
  const { restored, now, reportUnknown } = tables;
  const { id, account_id, revoked_at } = apiKey;
  if (!isLive(apiKey, now) || revoked_at) return [];
  if (
    old?.revoked_at ||
    (!old && (await getItem(tables.old, apiKeyListingKey(account_id, id), { consistent: true })))
  ) {
    return [async () => ((await revokeApiKey(restored, id, now)) ? "keys revoked" : undefined)];
  }
  if (!old) return [async () => reportUnknown(apiKey)];
  const { expires_at = Number.POSITIVE_INFINITY } = old;
  if (expires_at >= (apiKey.expires_at ?? Number.POSITIVE_INFINITY)) return [];
  const shorten = () => shortenApiKey(restored, apiKey, expires_at);
  return [async () => ((await shorten()) ? "keys that expire earlier" : undefined)];
};

/**
 * A restored membership that the old table no longer has is removed, even if the user was later added again. If only
 * the role differs, we report it and change nothing, because each role has rights that the others lack.
 */
const carryMember = (
  { restored, reportRole }: Tables,
  member: StoredMember,
  old: StoredMember | undefined,
): Change[] => {
  if (old?.id !== member.id) {
    return [async () => ((await removeMember(restored, member)) ? "members removed" : undefined)];
  }
  if (old.role === member.role) return [];
  return [
    async () => {
      reportRole(member, old);
      return "roles that differ";
    },
  ];
};

/** Only `erase-person` deletes users, so a user that the old table lacks was erased after the restore point. */
const carryUser = ({ restored }: Tables, { pk, sk, id }: ItemKey & User, old: User | undefined): Change[] => {
  if (old?.id === id) return [];
  const command = new DeleteCommand({
    TableName: restored.name,
    Key: { pk, sk },
    ConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":id": id },
  });
  return [async () => ((await succeeds(() => restored.client.send(command))) ? "users deleted" : undefined)];
};

type Restored = ItemKey & { created_at: string };

const changesOf = async (tables: Tables, item: Restored): Promise<Change[]> => {
  const { pk, sk, created_at } = item;
  const isKey = pk.startsWith(itemTypes.apiKey);
  if (!isKey && created_at > tables.restoredAt) return [];
  const old = await getItem<never>(tables.old, { pk, sk }, { consistent: true });
  if (isKey) return carryKey(tables, item as never, old);
  if (pk.startsWith(itemTypes.user)) return carryUser(tables, item as never, old);
  return carryMember(tables, item as never, old);
};

/**
 * Checks that one table can be a restored copy of the other. The returned function repeats the old table's revocations
 * and deletions in the restored table, and counts them by kind.
 *
 * @throws UserError before anything is changed
 */
export const carryOverFrom = async (shell: Shell, json: true | undefined, restored: Table, from: string) => {
  const old = { ...restored, name: from };
  const [ofRestored, ofOld] = [await describeTable(restored), await describeTable(old)];
  const created = ofRestored.CreationDateTime?.getTime() ?? 0;
  if (ofRestored.TableArn === ofOld.TableArn) throw new UserError(`${from} is the table itself`, 2);
  if (created < (ofOld.CreationDateTime?.getTime() ?? 0)) {
    throw new UserError(
      `${from} is newer than ${restored.name}. TABLE_NAME is the restored table, --from the old one`,
      2,
    );
  }
  await old.client.send(new ScanCommand({ TableName: from, Limit: 1 })); // fails early if we may not scan the old table
  const restoredAt = new Date(created + clockMilliseconds).toISOString();
  const reportRole = ({ account_id, user_id, email, role }: StoredMember, old: StoredMember): void => {
    const line = `kept   ${email} of ${account_id} as ${role}, but ${from} has ${old.role}: see set-member-role`;
    report(shell, json, { account_id, user_id, email, role, old_role: old.role }, line);
  };
  const reportUnknown = ({ id, account_id, label }: ApiKey): Kind => {
    const line = `kept   key ${id} of ${account_id}, which ${from} never had: revoke it, unless it was created in ${restored.name}`;
    report(shell, json, { account_id, id, label: label ?? null }, line);
    return "keys that only the restored table has";
  };
  const now = (await clockOf(shell, restored))();
  const tables: Tables = { restored, old, now, restoredAt, reportRole, reportUnknown };
  if (!(await haveItemsInCommon(restored, old))) {
    throw new UserError(`${restored.name} has nothing in common with ${from}, so it is no copy of it`);
  }

  return async () => {
    announceScan(shell, json, old, ofOld);
    announceScan(shell, json, restored, ofRestored);
    const counts = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
    const count = (kind: Kind | undefined) => kind && counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const readOld = async (items: (Marked & OldItem)[]): Promise<OnlyInOld[]> => {
      const isTaken = (item: Marked) => item.deleted_at !== undefined || item.content_removed_at !== undefined;
      for (const item of items.filter(isTaken)) count(await carryMessage(tables, item));
      return onlyInOld(tables, items);
    };
    const only = await scanTable(shell, old, scanOfOld(ofOld.TableSizeBytes), readOld);
    const rights = {
      FilterExpression: "begins_with(pk, :key) OR begins_with(pk, :user) OR begins_with(sk, :member)",
      ExpressionAttributeValues: {
        ":key": itemTypes.apiKey,
        ":user": itemTypes.user,
        ":member": memberKey("", "").sk,
      },
      only: ["id", "account_id", "label", "user_id", "email", "role", "created_at", "expires_at", "revoked_at"],
      bytes: ofRestored.TableSizeBytes,
    };
    const read = itemByItem((item: Restored) => changesOf(tables, item));
    const changes = await scanTable(shell, restored, rights, read);
    for (const change of changes) count(await change());
    return { counts, only };
  };
};

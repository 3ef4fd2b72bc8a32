/** A restore of the table to the middle of the month, and what `prepare-table --from` must take away again. */

import { trueTime } from "../world/time.ts";
import type { Cast } from "./cast.ts";
import { demand } from "./model.ts";
import { tableName, type World } from "./world.ts";

const restored = "restored";

export const takeBackup = (world: World): void => world.engine.create(restored, tableName);

/** Runs `prepare-table` on the copy, and looks for what the old table has lost since. */
export const checkRestore = async (world: World, { messages }: Cast): Promise<void> => {
  process.env.TABLE_NAME = restored;
  const { status, errors } = await world.admin(["prepare-table", "--from", tableName]);
  process.env.TABLE_NAME = tableName;
  demand(status === 0, "prepare-table failed", { errors });

  const now = trueTime();
  const old = new Map(world.engine.items(tableName).map((item) => [`${item.pk} ${item.sk}`, item]));
  const items = world.engine.items(restored);
  const heads = new Set(items.filter(({ sk }) => sk === "HEAD").map(({ pk }) => pk));
  for (const item of items) {
    const [kind, account, id] = item.pk.split("#");
    const before = old.get(`${item.pk} ${item.sk}`);
    const isLive = item.expires_at === undefined || Number(item.expires_at) > now / 1000;
    const seen = { ...item, bytes: undefined };
    if (!isLive) continue;
    if (kind === "API_KEY") {
      const isWider =
        before?.expires_at !== undefined && Number(before.expires_at) < Number(item.expires_at ?? Infinity);
      const isRevoked = item.revoked_at !== undefined;
      demand(isRevoked || (before !== undefined && !before.revoked_at && !isWider), "a key is back", seen);
    }
    if (kind === "ACCOUNT" || kind === "USER") demand(before?.id === item.id, "a person is back", seen);
    if (kind !== "MESSAGE" || item.sk.startsWith("SEGMENT_PAGES")) continue;
    const name = messages.find((one) => one.account === account && (world.ids.get(one.name) ?? one.id) === id)?.name;
    demand(!world.model.isOver(`deletion of ${name}`, now), "a message is back", seen);
    // An import that stopped before the backup can leave a segment without a head, until it expires.
    const isContent = item.sk.startsWith("SEGMENT#") && heads.has(item.pk);
    demand(!(isContent && world.model.isOver(`removal of ${name}`, now)), "a content is back", seen);
  }
};

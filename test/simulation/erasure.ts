/** An erasure of everybody, on a copy of the table: what the month has interrupted is found by the index, too. */
import { longestIndexLag } from "../world/engine.ts";
import { sleep, trueTime } from "../world/time.ts";
import type { Cast } from "./cast.ts";
import { demand } from "./model.ts";
import { tableName, type World } from "./world.ts";

const copy = "copy";

export const checkErasure = async (world: World, { emails }: Cast): Promise<void> => {
  world.engine.create(copy, tableName);
  await sleep(longestIndexLag);
  process.env.TABLE_NAME = copy;
  for (const email of emails) {
    const { status, errors } = await world.admin(["erase-person", email, "--delete"]);
    demand(status === 0, "erase-person failed", { errors });
  }
  process.env.TABLE_NAME = tableName;

  const isPersonal = ({ pk, sk, id }: { pk: string; sk: string; id?: string }) =>
    /^(USER|ACCOUNT)#/.test(pk) ||
    (pk.startsWith("MESSAGE#") && !sk.startsWith("SEGMENT_PAGES#") && (sk !== "HEAD" || id));
  for (const item of world.engine.items(copy)) {
    // What has expired is left to TTL: without the head and the first segment, nothing tells whose it was.
    const isLive = item.expires_at === undefined || Number(item.expires_at) > trueTime() / 1000;
    demand(!(isLive && isPersonal(item)), "what an erasure has left", { ...item, bytes: undefined });
  }
};

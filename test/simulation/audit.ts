/** What the table may hold after the month: nothing without an owner, and nothing without the expiry it should have. */
import { personKey } from "../../lib/table/keys.ts";
import { trueTime } from "../world/time.ts";
import type { Cast } from "./cast.ts";
import { demand } from "./model.ts";
import { senderOfMonth } from "./operations/ses.ts";
import { tableName, type World } from "./world.ts";

type Stored = Record<string, unknown> & { pk: string; sk: string; expires_at?: number };

const daySeconds = 24 * 3600;
const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** An event of a message that came, or was deleted, before the dead letters were redriven may be no dead letter now. */
export const auditDeadLetters = ({ model, queue }: World, redrivenAt: number): void => {
  for (const body of queue.deadLetters()) {
    const [, name] = JSON.parse(body).id.split(" of ");
    const isKnown = ["arrival", "deletion"].some((what) => model.isOver(`${what} of ${name}`, redrivenAt));
    demand(!isKnown, "lost event", { body });
  }
};

export const audit = (world: World, { accounts, messages, emails }: Cast): void => {
  const { model } = world;
  const items = world.engine.items(tableName) as Stored[];
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const now = { from: trueTime(), to: trueTime() };
  const messageOf = (account: string, id: string) =>
    messages.find((one) => one.account === account && (world.ids.get(one.name) ?? one.id) === id);
  const uses = model.expiriesOfUses();

  const checks: Record<string, (item: Stored, account: string, id: string) => void> = {
    API_KEY: (item) => {
      const listing = byKey.get(`API_KEYS#${item.account_id} API_KEY#${item.id}`);
      const isPast = Number(item.expires_at) <= now.to / 1000;
      demand(accounts.includes(String(item.account_id)), "key without an account", item);
      demand(
        isPast || (listing !== undefined && listing.expires_at === item.expires_at),
        "key without its listing",
        item,
      );
    },
    API_KEYS: (item, account) => demand(accounts.includes(account), "listing without an account", item),
    USER: (item, email) => demand(emails.includes(email) && item.expires_at === undefined, "user", item),
    ACCOUNT: (item, account) => {
      const isMember = model.couldBe(`${item.email} in ${account}`, true, now);
      const isBroken = model.mayHaveBegun(`broken erasure of ${item.email}`, now.to);
      const hasUser = byKey.get(`USER#${item.email} USER`)?.id === item.user_id;
      demand(item.expires_at === undefined && isMember && (hasUser || isBroken), "member", item);
      demand(item.person === personKey(String(item.email)), "member that the index does not find", item);
      demand(model.couldBe(`${item.email} in ${account} as ${item.role}`, true, now), "role", item);
    },
    IDEMPOTENCY: (item) => demand(uses.has(Number(item.expires_at)), "expiry of a stored response", item),
    EVENT: (item) =>
      demand(Number(item.expires_at) > now.to / 1000 - 60 * daySeconds, "expiry of an event record", item),
    SENDER: (item) => demand(item.sk === `SENDER#${senderOfMonth}`, "sender", item),
    MARKER: (item, account, id) => {
      const message = messageOf(account, id);
      const expiry = secondsOf(message?.retain_until ?? "") + 366 * daySeconds;
      const isRight = item.deleted_at ? item.expires_at === undefined : item.expires_at === expiry;
      demand(message !== undefined && isRight, "marker", item);
    },
    MESSAGE: (item, account, id) => {
      const message = messageOf(account, id);
      const { name = "", retain_until = "" } = message ?? {};
      const isTombstone = item.sk === "HEAD" && item.domain_id === undefined; // An interrupted deletion leaves it in the index.
      const seen = { ...item, bytes: undefined };
      demand(message !== undefined, "item without a message", seen);
      if (isTombstone) {
        demand(Number(item.expires_at) < now.to / 1000, "expiry of a tombstone", seen);
        return;
      }
      const isIndexed = item.sk === "HEAD" || item.sk.endsWith("#00000");
      const [person] = message?.people ?? [];
      demand(!isIndexed || item.person === personKey(person ?? ""), "item that the index does not find", seen);
      demand(item.expires_at === secondsOf(retain_until), "expiry of a message", seen);
      const isLeft = item.sk.startsWith("SEGMENT#") || item.sk === "HEAD";
      const isDeleted = model.isOver(`deletion of ${name}`, now.from);
      // If a call was lost, an import beside a deletion can leave a segment without a head, until it expires.
      const mayBeLeft = item.sk !== "HEAD" && !world.isCalm();
      demand(!(isLeft && isDeleted) || mayBeLeft, "what a deletion has left", seen);
    },
  };
  for (const item of items) {
    const [kind = "", owner = "", id = ""] = item.pk.split("#");
    const check = checks[kind];
    demand(check !== undefined, "item of no kind", item);
    check?.(item, owner, id);
  }
  demand(world.bucket.openBodies() === 0, "a body of S3 that was neither read nor destroyed", {});
  for (const account of accounts) {
    for (const email of emails) {
      const isMember = items.some((item) => item.pk === `ACCOUNT#${account}` && item.email === email);
      const isPossible = model.couldBe(`${email} in ${account}`, isMember, now);
      demand(isPossible, "members in the end", { account, email, isMember });
    }
  }
};

/** What a pipeline sends to the queue. */
import type { CastMessage } from "../cast.ts";
import type { Random } from "../random.ts";
import { trueTime } from "../time.ts";
import { messageOf, nameOf, operation } from "./operation.ts";

const events = {
  "message.opened": { field: "open_count", fields: {} },
  "message.clicked": { field: "click_count", fields: {} },
  "message.delivery_attempt": {
    field: "num_attempts",
    fields: { time: "2096-11-20T12:00:00Z", log: "250 OK", status: "sent" },
  },
} as const;
const eventTypes = Object.keys(events) as (keyof typeof events)[];

/** Some events arrive twice, or days later. */
const times = (random: Random): number[] =>
  [0, ...(random.chance(0.3) ? [random.below(3000)] : [])].map((delay) =>
    random.chance(0.1) ? random.below(5 * 24 * 3600_000) : delay + random.below(500),
  );

const isEvent = ({ isImported }: CastMessage) => !isImported;

export const eventOperations = {
  "store-message": operation({
    plan: (random, cast) => ({
      name: nameOf(random, cast, isEvent),
      id: random.uuid(),
      missing: random.chance(0.2) ? random.below(60_000) : 0,
      delays: times(random),
    }),
    run: async (stage, { name, id, missing, delays }) => {
      const { world, cast } = stage;
      const { account, id: message_id, raw, addresses, retain_until } = messageOf(stage, name);
      const storing = world.model.begin(name, true, trueTime());
      world.whenTaken(id, ({ to }) => {
        const isLate = to + 2000 > Date.parse(retain_until);
        const isStored = !isLate && !world.model.mayHaveBegun(`deletion of ${name}`, to);
        world.model.end(storing, Math.min(storing.to, to), isStored || storing.isSure ? "done" : "maybe");
      });
      if (raw !== null) world.bucket.put(name, Buffer.from(raw), missing);
      const [sender, recipient] = addresses;
      const message = {
        id: message_id,
        domain_id: cast.domain,
        direction: "outgoing",
        message_id: `<${name}@example.com>`,
        subject: "Hello",
        sender,
        recipient,
        status: "sent",
        retain_until,
      };
      const body = { type: "message.stored", id, account_id: account, message, raw_email: raw && name };
      for (const delay of delays) world.queue.send(JSON.stringify(body), delay);
    },
  }),

  "report-event": operation({
    plan: (random, cast) => ({
      name: nameOf(random, cast),
      id: random.uuid(),
      type: random.oneOf(eventTypes),
      delays: times(random),
    }),
    run: async (stage, { name, id, type, delays }) => {
      const { world } = stage;
      const { account, id: message_id } = messageOf(stage, name);
      const { field, fields } = events[type];
      world.model.beginEvent(id, `${field} of ${name}`, trueTime());
      world.whenTaken(id, ({ to }) => world.model.endEvent(id, to));
      const body = { type, id, account_id: account, message: { id: message_id }, ...fields };
      for (const delay of delays) world.queue.send(JSON.stringify(body), delay);
    },
  }),
};

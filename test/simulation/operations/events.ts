/** What a pipeline reports: over the queue, or as a file that an operator records. */

import type { Random } from "../../world/random.ts";
import { trueTime } from "../../world/time.ts";
import type { Cast, CastMessage } from "../cast.ts";
import type { Move } from "../timeline.ts";
import { messageOf, nameOf, operation, type Stage } from "./operation.ts";

const changes = {
  "message.opened": { field: "open_count", fields: {} },
  "message.clicked": { field: "click_count", fields: {} },
  "message.status": { field: "status", fields: {} },
  "message.delivery_attempt": {
    field: "num_attempts",
    fields: { time: "2096-11-20T12:00:00Z", log: "250 OK", status: "sent" },
  },
} as const;

/** In the order of their times: a fraction has up to nine digits, and a time any offset. */
const statusTimes = ["00:00.1Z", "00:00.100000001Z", "00:00.1000001Z", "00:00.100001Z", "00:00.11Z", "00:01Z"].map(
  (end) => `2096-11-20T12:${end}`,
);
const statusOf = (number: number) => ({ status: `status ${number}`, time: statusTimes[number] });

type ChangeType = keyof typeof changes;
const changeTypes = Object.keys(changes) as ChangeType[];

/** Some events arrive twice, or days later. */
const times = (random: Random): number[] =>
  [0, ...(random.chance(0.3) ? [random.below(3000)] : [])].map((delay) =>
    random.chance(0.1) ? random.below(5 * 24 * 3600_000) : delay + random.below(500),
  );

const isEvent = ({ isImported, isOfSes }: CastMessage) => !isImported && !isOfSes;
const hasNoEmail = (message: CastMessage) => isEvent(message) && message.raw === null;

/** Few numbers, so that the queue and a file have the same events. */
const planChange = (random: Random, cast: Cast) => ({
  name: nameOf(random, cast, ({ isOfSes }) => !isOfSes),
  type: random.oneOf(changeTypes),
  number: random.below(6),
});

/** Tells the model of a change that begins. Returns the event. */
const beginChange = (stage: Stage, { name, type, number }: { name: string; type: ChangeType; number: number }) => {
  const { account, id: message_id } = messageOf(stage, name);
  const { field, fields } = changes[type];
  const id = `${type} ${number} of ${name}`;
  stage.world.model.beginEvent(id, `${field} of ${name}`, number, trueTime());
  const more = type === "message.status" ? statusOf(number) : fields;
  return { type, id, account_id: account, message: { id: message_id }, ...more };
};

const storedEvent = (stage: Stage, name: string, id: string) => {
  const { account, id: message_id, raw, sender, recipient, direction, retain_until } = messageOf(stage, name);
  const message = {
    id: message_id,
    domain_id: stage.cast.domain,
    direction,
    message_id: `<${name}@example.com>`,
    subject: "Hello",
    sender,
    recipient,
    status: "sent",
    retain_until,
  };
  return { type: "message.stored", id, account_id: account, message, raw_email: raw && name };
};

/** Somebody has taken `message.stored`. Whether the message was stored then is sure only if it wasn't too late for it. */
export const endStoring = (stage: Stage, name: string, storing: Move, to: number): void => {
  const { model } = stage.world;
  const isLate = to + 2000 > Date.parse(messageOf(stage, name).retain_until);
  const isStored = !isLate && !model.mayHaveBegun(`deletion of ${name}`, to);
  model.end(storing, Math.min(storing.to, to), isStored || storing.isSure ? "done" : "maybe");
  model.end(model.begin(`arrival of ${name}`, true, storing.from), to, "done");
};

export const eventOperations = {
  "store-message": operation({
    plan: (random, cast) => ({
      name: nameOf(random, cast, isEvent),
      id: random.uuid(),
      missing: random.chance(0.2) ? random.below(60_000) : 0,
      isTooLarge: random.chance(0.05),
      delays: times(random),
    }),
    run: async (stage, { name, id, missing, isTooLarge, delays }) => {
      const { world } = stage;
      const { raw } = messageOf(stage, name);
      const storing = world.model.begin(name, true, trueTime());
      world.whenTaken(id, ({ to }) => endStoring(stage, name, storing, to));
      if (raw !== null) world.bucket.put(name, Buffer.from(raw), missing, isTooLarge);
      for (const delay of delays) world.queue.send(JSON.stringify(storedEvent(stage, name, id)), delay);
    },
  }),

  "report-event": operation({
    plan: (random, cast) => ({ ...planChange(random, cast), delays: times(random) }),
    run: async (stage, { delays, ...change }) => {
      const event = beginChange(stage, change);
      stage.world.whenTaken(event.id, ({ to }) => stage.world.model.endEvent(event.id, to));
      for (const delay of delays) stage.world.queue.send(JSON.stringify(event), delay);
    },
  }),

  "record-events": operation({
    plan: (random, cast) => ({
      stored: cast.messages
        .filter(hasNoEmail)
        .filter(() => random.chance(0.3))
        .map(({ name }) => name),
      changes: Array.from({ length: 1 + random.below(3) }, () => planChange(random, cast)),
    }),
    run: async (stage, { stored, changes }) => {
      const { model } = stage.world;
      const storings = new Map(
        stored.map((name) => [`file of ${name}`, { name, move: model.begin(name, true, trueTime()) }]),
      );
      const events = [
        ...changes.map((change) => beginChange(stage, change)),
        ...[...storings].map(([id, { name }]) => storedEvent(stage, name, id)),
      ];
      const file = events.map((event) => JSON.stringify(event)).join("\n");
      for (const { id, outcome } of (await stage.world.admin(["record-events", "-"], file)).lines) {
        const storing = storings.get(String(id));
        if (storing) endStoring(stage, storing.name, storing.move, trueTime());
        else if (outcome !== "expired") model.endEvent(String(id), trueTime());
      }
    },
  }),
};

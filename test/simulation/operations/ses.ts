/** What Amazon SES reports about a sent email: everything may come twice, late, in any order and through any service. */
import { start, trueTime } from "../../world/time.ts";
import { private_ } from "../cast.ts";
import { endStoring } from "./events.ts";
import { messageOf, nameOf, operation, type Stage } from "./operation.ts";

const awsAccount = "111122223333";
const configurationSet = "month";
export const senderOfMonth = `ses:${awsAccount}:${configurationSet}`;

/** The model's names of the statuses. */
export const statusOfModel: Readonly<Record<string, string>> = {
  accepted: "sent",
  deferred: "status 0",
  delivered: "status 1",
  bounced: "status 2",
};

const at = (end: string) => new Date(start).toISOString().replace(/\d\d\.\d+Z$/, end);
const bounceType = { bounceType: "Permanent", bounceSubType: "NoEmail" };

/** All within one second. SES writes the time of a bounce without the fraction, so it looks like the first. */
const parts = {
  Send: () => ({}),
  DeliveryDelay: (emailAddress: string) => ({
    deliveryDelay: { timestamp: at("30.700Z"), delayType: "MailboxFull", delayedRecipients: [{ emailAddress }] },
  }),
  Delivery: (recipient: string) => ({ delivery: { timestamp: at("30.900Z"), recipients: [recipient] } }),
  Bounce: (emailAddress: string) => ({
    bounce: { timestamp: at("30.000Z"), bouncedRecipients: [{ emailAddress }], ...bounceType },
  }),
  Open: () => ({ open: { timestamp: at("40.000Z"), ipAddress: "192.0.2.1" } }),
  Click: () => ({ click: { timestamp: at("50.000Z"), ipAddress: "192.0.2.1", link: "https://example.com/" } }),
};
type Type = keyof typeof parts;
const types = Object.keys(parts) as Type[];
const fieldsOf: Readonly<Record<Type, readonly string[]>> = {
  Send: [],
  DeliveryDelay: ["num_attempts", "status"],
  Delivery: ["num_attempts", "status"],
  Bounce: ["num_attempts", "status"],
  Open: ["open_count"],
  Click: ["click_count"],
};

/** The queue knows a body by its `id`, which SES doesn't have. */
const bodyOf = (stage: Stage, name: string, type: Type, id: string, hasEnvelope: boolean): string => {
  const { sender, recipient } = messageOf(stage, name);
  const mail = {
    timestamp: new Date(start).toISOString(),
    ...{ messageId: name, source: `"Shop" <${sender}>`, sendingAccountId: awsAccount, destination: [recipient] },
    commonHeaders: { subject: private_.content },
    tags: { "ses:configuration-set": [configurationSet] },
  };
  const event = { eventType: type, mail, ...parts[type](recipient.toUpperCase()) };
  return JSON.stringify(hasEnvelope ? { id, Type: "Notification", Message: JSON.stringify(event) } : { id, ...event });
};

export const sesOperations = {
  "ses-reports": operation({
    plan: (random, cast) => ({
      name: nameOf(random, cast, ({ isOfSes }) => isOfSes),
      type: random.oneOf(types),
      copies: Array.from({ length: 1 + random.below(3) }, () => ({
        hasEnvelope: random.chance(0.5),
        delay: random.chance(0.2) ? random.below(5 * 24 * 3600_000) : random.below(3000),
      })),
    }),
    run: async (stage, { name, type, copies }) => {
      const { model, queue, whenTaken } = stage.world;
      const id = `${type} of ${name}`;
      const storing = model.begin(name, true, trueTime());
      const number = types.indexOf(type) - 1;
      for (const field of fieldsOf[type]) model.beginEvent(`${field} ${id}`, `${field} of ${name}`, number, trueTime());
      whenTaken(id, ({ to }) => {
        endStoring(stage, name, storing, to);
        for (const field of fieldsOf[type]) model.endEvent(`${field} ${id}`, to);
      });
      for (const { hasEnvelope, delay } of copies) queue.send(bodyOf(stage, name, type, id, hasEnvelope), delay);
    },
  }),
};

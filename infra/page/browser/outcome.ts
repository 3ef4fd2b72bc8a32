/**
 * What a status means for the person who waits for the email. A status is free text, so we only call it good if each of
 * its words says so: `undelivered`, `awaiting delivery` and `unopened` contain a good word, too.
 */

export type Tone = "good" | "bad" | "wait" | "";

/** `deliveryDelayed`, `delivery_delayed` and `Delivery delayed` are the same words. */
const wordsOf = (status: string): string =>
  status
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\d]+/gu, " ")
    .trim();

const temporary = /\b(soft|softbounced?|temp|temporary|temporarily|transient|transiently)\b|^4\d\d\b/;
const bad = new RegExp(
  "\\b((un|non ?)deliver|undeliver|fail|reject|(hard)?bounc|unable|impossible|unavailable|loop|quota|complain|spam|junk|drop|block|suppress|refus|den(y|ied)|invalid|" +
    "abuse|dead|lost|return|discard|cancel|abort|error|expire|expir|exhaust|gave up|give up|given up|timed out|timeout|" +
    "quarantin|virus|infected|blacklist|denylist|unroutable|violat|unsuccessful|stopped|mailbox full|over quota|" +
    "(user|recipient|address|mailbox|host|domain) (unknown|not found)|(no such|unknown) (user|recipient|address|mailbox|host))",
);
const waiting = new RegExp(
  "\\b(defer|delay|await|wait|pend|(en|re)?queue|suspend|spool|held|hold|schedul|throttl|greylist|graylist|postpon|retry|retri|not yet|yet to|" +
    "in (transit|progress)|process(ing)?$|sending|delivering|attempting|attempted|delivery attempt|to be|out for|paused)",
);
const negation = /\b(not|never|no|non|cannot|cant|couldnt|wasnt|isnt|without)\b/;
const isAboutDelivery = /\b(deliver|sent|send|arriv|receiv)/;

const goodEvent = /\b(delivered|opened|clicked|read)\b/;
const besideGood =
  /^(delivered|opened|open|clicked|click|read|delivery|email|mail|message|was|has|been|is|successfully|successful|success|ok|to|the|recipient|inbox|mailbox|remote|server|mx|and|by|human|first|unique|locally|local|after|on|in|at|with|via|tls|smtp|attempt|attempts|try|tries|retry|retries|late|link|confirmed|\d+)$/;
const goodAlone =
  /^(delivery|open|click|success|ok|delivery (ok|success|successful|succeeded|complete|completed|confirmed)|2\d\d .*|2\d\d)$/;
const sent = /\b(sent|accepted|submitted|relayed|dispatched|injected|transmitted|processed|handed|expanded|send)\b/;

export const toneOf = (status: string): Tone => {
  const words = wordsOf(status);
  if (temporary.test(words)) return "wait";
  if (bad.test(words) || /^5\d\d\b/.test(words)) return "bad";
  if (goodAlone.test(words)) return "good";
  if (goodEvent.test(words) && words.split(" ").every((word) => besideGood.test(word))) return "good";
  if (waiting.test(words)) return "wait";
  return negation.test(words) && isAboutDelivery.test(words) ? "bad" : "";
};

export const statusClass = (status: string): string => `status ${toneOf(status)}`;

export const groups = {
  bad: "Not delivered",
  wait: "Waiting",
  good: "Delivered",
  sent: "Only sent",
  from: "From them",
  other: "Other",
} as const;
export type Group = keyof typeof groups;

export const groupOf = ({ direction, status }: { direction: string; status: string }): Group => {
  if (direction === "incoming") return "from";
  return toneOf(status) || (sent.test(wordsOf(status)) ? "sent" : "other");
};

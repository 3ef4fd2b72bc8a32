import { expect, test } from "vitest";
import { groupOf, toneOf } from "../../../infra/page/browser/outcome.ts";

const statuses = {
  good:
    "delivered|Delivered|delivery|opened|clicked|read|delivered_to_inbox|successfully delivered|deliveredToRecipient|" +
    "delivered after 3 attempts|250 2.0.0 Ok|delivery successful|email has been delivered to the remote server|" +
    "message was read by the recipient|delivered via smtp with tls|delivered locally on retry 2|link clicked by human|" +
    "first opened|delivered late|mail is delivered at mx|delivery confirmed|unique open read in inbox",
  bad:
    "bounced|hard_bounce|undelivered|undeliverable|not delivered|never delivered|could not be delivered|delivery_failed|" +
    "Delivery failure|failed|rejected|complained|spam|marked as spam|delivered to spam|dropped|blocked|suppressed|" +
    "non-delivery|notDelivered|couldn't deliver|expired|delivery timed out|unsuccessful delivery|cancelled|550 5.1.1|" +
    "mailbox full|hardbounce|unable to deliver|mailbox_unavailable|no such user|quarantined|returned to sender|not sent|" +
    "smtp error|mail loop|quota exceeded|moved to junk|refused|access denied|deny|invalid address|abuse report|dead letter|" +
    "lost|discarded|aborted|retries exhausted|gave up|give up|given up|timeout|virus found|infected|blacklisted|denylisted|" +
    "unroutable|policy violation|stopped|user unknown|mailbox not found|unknown recipient|impossible",
  wait:
    "deferred|delivery_delayed|deliveryDelayed|awaiting delivery|queued|queued for delivery|pending|held|on hold|" +
    "soft_bounce|softbounce|enqueued|delivery_suspended|temporarily rejected|temporary failure|transient bounce|scheduled|retrying|not yet delivered|" +
    "yet to be delivered|delivery attempt|out for delivery|in transit|greylisted|throttled|processing|451 4.7.1|delayed|" +
    "waiting|requeued|suspended|spooled|postponed|retry|not yet sent|to be sent|sending|delivering|attempting|attempted|" +
    "in progress|paused|graylisted|temp failure|transiently rejected|softbounced|process|temporary error",
  "":
    "sent|accepted|accepted for delivery|submitted|unopened|not opened|unread|unclicked|received|draft|archived|" +
    "unsubscribed|delivery unconfirmed|partially delivered|delivery status unknown|zugestellt|whatever|",
};

const table = Object.entries(statuses).flatMap(([tone, names]) => names.split("|").map((status) => [status, tone]));

test.each(table)("The status %j counts as %j", (status, tone) => {
  expect(toneOf(`${status}`)).toBe(tone);
});

test.each([
  ["outgoing", "undelivered", "bad"],
  ["outgoing", "awaiting delivery", "wait"],
  ["outgoing", "opened", "good"],
  ["outgoing", "accepted for delivery", "sent"],
  ...[
    "sent",
    "Submitted",
    "relayed",
    "dispatched",
    "injected",
    "transmitted",
    "processed",
    "handedOver",
    "expanded",
  ].map((status) => ["outgoing", status, "sent"]),
  ["outgoing", "unopened", "other"],
  ["outgoing", "resent", "other"],
  ["incoming", "delivered", "from"],
])("An %s message that is %s is in the group %s", (direction, status, group) => {
  expect(groupOf({ direction, status })).toBe(group);
});

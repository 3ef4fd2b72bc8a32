/** Events as Amazon SES documents them, with values of our own. */

const messageId = "0100019b0c1d2e3f-aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee-000000";

/** @param more replaces or adds fields of `mail`; `undefined` removes one */
const mailOf = (more: object) => ({
  timestamp: "2096-11-20T12:00:00.000Z",
  source: '"Shop, Ltd." <orders@shop.example>',
  sourceArn: "arn:aws:ses:us-east-1:444455556666:identity/shop.example",
  sendingAccountId: "444455556666",
  messageId,
  destination: ["Grace@Example.org"],
  headersTruncated: false,
  headers: [{ name: "Subject", value: "=?utf-8?q?Gr=C3=BC=C3=9Fe?=" }],
  commonHeaders: { from: ["orders@shop.example"], subject: "=?utf-8?q?Gr=C3=BC=C3=9Fe?=" },
  tags: {
    "ses:configuration-set": ["receipts"],
    "ses:caller-identity": ["app"],
    campaign: ["autumn"],
    kind: ["a", "b"],
  },
  ...more,
});

export const sesMessageId = messageId;

/** The body of an event destination. */
export const sesEvent = (eventType: string, parts: object = {}, mail: object = {}): string =>
  JSON.stringify({ eventType, mail: mailOf(mail), ...parts });

export const throughSns = (body: string): string =>
  JSON.stringify({ Type: "Notification", MessageId: "m-1", TopicArn: "arn:aws:sns:…", Message: body, Signature: "x" });

export const throughEventBridge = (body: string): string =>
  JSON.stringify({ version: "0", id: "e-1", "detail-type": "Email", source: "aws.ses", detail: JSON.parse(body) });

export const sesReceived = (receipt: object = {}, mail: object = {}): string =>
  JSON.stringify({
    notificationType: "Received",
    receipt: {
      recipients: ["help@shop.example"],
      spamVerdict: { status: "PASS" },
      virusVerdict: { status: "PASS" },
      action: { type: "S3", bucketName: "emails", objectKeyPrefix: "ses-received/", objectKey: "ses-received/r-1" },
      ...receipt,
    },
    mail: {
      timestamp: "2096-11-20T11:00:00.000Z",
      source: "grace@example.org",
      messageId: "r-1",
      destination: ["help@shop.example"],
      commonHeaders: { messageId: "<question@example.org>", subject: "Question" },
      ...mail,
    },
  });

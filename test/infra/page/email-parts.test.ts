/** What the page shows of a parsed email. The parser's result is from the server, and can be large or hostile. */
import { expect, test } from "vitest";
import { plainValue } from "../../../infra/page/browser/delivery-report.ts";
import { bytesOf, shownOf, sizeOf, textOf } from "../../../infra/page/browser/excerpt.ts";
import { viewOf } from "../../../infra/page/browser/view.ts";
import type { Structure } from "../../../infra/page/served.ts";

const part = (content_type: string, content = "") => ({ content_type, content });
const attachment = (content_type: string, content = "", content_id = "") => ({
  filename: "",
  content: Buffer.from(content).toString("base64"),
  content_type,
  content_id,
});
type Parts = { parts?: object[]; attachments?: object[] };
const view = ({ parts = [], attachments = [] }: Parts, structure: Structure | null = null) =>
  viewOf({ headers: {}, parts, attachments } as Parameters<typeof viewOf>[0], structure);

test("A text of 250,000 characters is whole, and of a longer one the page shows the first 60,000", () => {
  const [whole, long] = ["a".repeat(250_000), "a".repeat(250_001)];

  expect([whole, long].map((text) => shownOf(text).length)).toEqual([250_000, 60_000]);
  expect(view({ parts: [part("text/plain", long)] }).parts).toEqual([
    { content_type: "text/plain", content: "a".repeat(60_000), length: 250_001 },
  ]);
});

test.each(["", "a", "ab", "abc", "Zoë 🎉"])(
  "The size and the text of an attachment are those of its bytes: %j",
  (text) => {
    const { content } = attachment("text/plain", text);

    expect(sizeOf(content)).toBe(Buffer.byteLength(text));
    expect(Buffer.from(bytesOf(content)).toString()).toBe(text);
    expect(textOf(content)).toBe(text);
    expect(view({ attachments: [attachment("text/plain", text)] }).attachments).toEqual([
      { filename: "", content_type: "text/plain", content_id: "", bytes: Buffer.byteLength(text) },
    ]);
  },
);

test("An excerpt of an attachment has at least as many characters as asked for", () => {
  expect(textOf(attachment("text/plain", "abcdefghi").content, 2)).toMatch(/^ab/);
  expect(textOf(attachment("text/plain", "a".repeat(1000)).content, 2).length).toBeLessThan(10);
});

const mixed = {
  parts: [part("text/plain"), part("text/html", '<img src="cid:logo%40shop"><img src=cid:%zz>')],
  attachments: [
    attachment("image/png", "png", "logo@shop"),
    attachment("application/pdf", "pdf"),
    attachment("image/jpeg", "jpg", "photo@shop"),
    attachment("image/gif", "gif", "%zz"),
  ],
};

test("The leaves are the texts and the pictures that no text shows, in the order of the email", () => {
  const [text, file] = [
    { isInline: true, isReplaced: false },
    { isInline: false, isReplaced: false },
  ];
  const replaced = { ...text, isReplaced: true };

  expect(view(mixed, [file, replaced, file, file, text, file]).leaves).toEqual([
    { isReplaced: true, part: 0 },
    { isReplaced: false, attachment: 2 },
    { isReplaced: false, part: 1 },
  ]);
});

test.each<[string, Structure | null]>([
  ["none", null],
  ["one leaf too few", Array(5).fill({ isInline: true, isReplaced: true })],
  ["another number of texts", Array(6).fill({ isInline: true, isReplaced: true })],
])("Without a structure that fits, nothing is replaced, and pictures follow the texts: %s", (_, structure) => {
  expect(view(mixed, structure).leaves).toEqual([
    { isReplaced: false, part: 0 },
    { isReplaced: false, part: 1 },
    { isReplaced: false, attachment: 2 },
  ]);
});

test("A picture in plain text is no picture of the email, so it is shown alone", () => {
  const attachments = [attachment("image/png", "png", "a@b")];

  expect(view({ parts: [part("text/plain", "cid:a@b")], attachments }).leaves).toHaveLength(2);
});

test("Only pictures have an address, and that of an SVG has no origin", () => {
  const types = ["image/png", "image/svg+xml", "text/html", "image/png;x=<script>", "application/image/png"];

  const { images } = view({ attachments: types.map((type) => attachment(type, "<svg/>")) });

  expect(images.slice(1)).toEqual(["data:image/svg+xml;base64,PHN2Zy8+", null, null, null]);
  expect(images[0]).toMatch(/^blob:/);
});

const status = (type: string, ...lines: string[]) => attachment(type, lines.join("\r\n"));

test("A delivery report has the fields of each recipient, unfolded, and not those about the report", () => {
  const { reports } = view({
    attachments: [
      status(
        "message/delivery-status",
        "Reporting-MTA: dns; mx.example",
        "",
        "Final-Recipient: rfc822; a@b.example",
        "Action:failed",
        "Diagnostic-Code: smtp; 550 5.1.1:",
        "\tno such user",
        "",
        "",
        "ACTION: delayed",
        "not a field",
      ),
      status("message/global-delivery-status", "Final-Recipient: utf-8; ä@b.example"),
      status("text/plain", "Action: none"),
    ],
  });

  expect(reports).toEqual([
    {
      "final-recipient": "rfc822; a@b.example",
      action: "failed",
      "diagnostic-code": "smtp; 550 5.1.1: no such user",
    },
    expect.objectContaining({ action: "delayed" }),
    { "final-recipient": "utf-8; ä@b.example" },
  ]);
});

test("A report with 1,000 recipients, or with 100 parts, shows the first ones", () => {
  const recipient = (index: number) => `Action: failed ${index}\r\n`;
  const many = status("message/delivery-status", ...Array.from({ length: 1000 }, (_, index) => recipient(index)));

  expect(view({ attachments: [many] }).reports).toHaveLength(50);
  const parts = Array.from({ length: 100 }, (_, index) => status("message/delivery-status", recipient(index)));
  expect(view({ attachments: parts }).reports.map(({ action }) => action)).toEqual(
    Array.from({ length: 10 }, (_, index) => `failed ${index}`),
  );
});

const header = "Subject: x\r\nmessage-id:\r\n <original@shop.example>\r\n\r\nMessage-ID: <body@shop.example>";

test.each<[string, Parts, string | undefined]>([
  ["an attached email", { attachments: [attachment("message/rfc822", header)] }, "<original@shop.example>"],
  ["an attached email in UTF-8", { attachments: [attachment("message/global", header)] }, "<original@shop.example>"],
  ["attached headers", { attachments: [attachment("text/rfc822-headers", header)] }, "<original@shop.example>"],
  [
    "an attached email behind a report in UTF-8",
    {
      attachments: [
        status("message/global-delivery-status", "Action: failed"),
        attachment("message/global-headers", header),
      ],
    },
    "<original@shop.example>",
  ],
  [
    "headers as a text",
    { parts: [part("text/plain", "x"), part("text/rfc822-headers", header)] },
    "<original@shop.example>",
  ],
  ["an email without an id", { attachments: [attachment("message/rfc822", "Subject: x")] }, undefined],
  ["another file", { attachments: [attachment("text/plain", header)] }, undefined],
  ["a reference to an id", { attachments: [attachment("message/rfc822", "X-Message-ID: <a@b>")] }, undefined],
])("A report names its original message: %s", (_, parts, original) => {
  expect(view(parts).original).toBe(original);
});

test.each([
  ["rfc822; a@b.example", "a@b.example"],
  ["RFC822;a@b.example", "a@b.example"],
  ["utf-8; ä@b.example", "ä@b.example"],
  ["smtp; 550 no; really", "550 no; really"],
  ["dns; mx.example", "mx.example"],
  ["x-unix ; a", "a"],
  ["550; smtp; no", "550; smtp; no"],
  [undefined, ""],
])("The type in front of a value isn't shown: %s", (value, shown) => {
  expect(plainValue(value)).toBe(shown);
});

/** The contract's section 1: what Get Message returns. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { messageNotFound, tooLargeUncompressed } from "../../../lib/api/error-catalogue.ts";
import { Message } from "../../../lib/messages/message.ts";
import { messagePartition } from "../../../lib/table/keys.ts";
import { listItems } from "../../../lib/table/list.ts";
import { newEmail } from "../../bench/email.ts";
import type { Group } from "../checklist.ts";
import { expectError, expectErrorAbout, expectStatus } from "../expect.ts";
import { request } from "../request.ts";
import type { Service } from "../service.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

const sizes = { "1 KB": 0, "1 MB": MiB, "25 MB": 25 * MiB, "40 MB": 40 * MiB - 64 * KiB };

/** Of about a size; the smallest is a line of text. */
const emailOf = (bytes: number): Buffer =>
  bytes > 0 ? newEmail(bytes) : Buffer.from(`Subject: Small\r\n\r\n${"Grüße, ".repeat(120)}`);

const text = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;

export const getMessageChecks = async (service: Service): Promise<Group> => {
  const { newMessage, getMessage, account_id, table } = service;
  const { secret } = await service.newKey();
  const raw = emailOf(0);
  const id = await newMessage(raw, { reference_message_id: 9007199254740993n, tags: ["one", "two"] });

  const sizeChecks = Object.entries(sizes).map(([size, bytes]) => ({
    promise: `An email of ${size} comes back byte for byte, and its attachments`,
    run: async () => {
      const email = emailOf(bytes);
      const answer = await getMessage(secret, await newMessage(email));
      const { content, content_parsed } = expectStatus(answer, 200);
      ok(Buffer.from(content).equals(email), "content is not the email");
      ok(content_parsed.parts.length > 0, "content_parsed has no part");
      for (const { content: base64 } of content_parsed.attachments) {
        ok(email.includes(base64.slice(0, 76)), "an attachment is not the email's");
      }
      return `${email.length} bytes of email, ${answer.bytes} of response, ${text(answer.lastByte)}`;
    },
  }));

  return {
    name: "Get Message",
    checks: [
      {
        promise: "A message has the documented fields, and no others",
        run: async () => {
          const answer = await getMessage(secret, id);
          const { content_parsed, ...message } = expectStatus(answer, 200);
          const optional = ["bounce_classification", "content_parsed"];
          deepEqual(
            Object.keys(message),
            Object.keys(Message.shape).filter((field) => !optional.includes(field)),
          );
          deepEqual(message.tags, ["one", "two"]);
          equal(message.content, raw.toString());
          equal(content_parsed.parts[0].content_type, "text/plain");
        },
      },
      {
        promise: "reference_message_id is exact above 2^53",
        run: async () =>
          ok((await getMessage(secret, id)).body.includes('"reference_message_id":9007199254740993')),
      },
      {
        promise: "Identifiers are taken in any case, and returned in lower case",
        run: async () => {
          const path = `/v2/accounts/${account_id.toUpperCase()}/messages/${id.toUpperCase()}`;
          equal(expectStatus(await service.call(path, secret), 200).id, id);
        },
      },
      {
        promise: "Every byte of an email that is no UTF-8 is kept",
        run: async () => {
          const bytes = Buffer.from([...Buffer.from("Subject: x\r\n\r\n"), ...Array(256).keys()]);
          const { content } = expectStatus(await getMessage(secret, await newMessage(bytes)), 200);
          ok(Buffer.from(content, "latin1").equals(bytes), "content is not the email");
        },
      },
      {
        promise: "An email that is not available is null",
        run: async () => {
          const { content, content_parsed } = expectStatus(
            await getMessage(secret, await newMessage(null)),
            200,
          );
          deepEqual([content, content_parsed], [null, null]);
        },
      },
      {
        promise: "A message that is not there is a 404",
        run: async () => expectError(await getMessage(secret, randomUUID()), messageNotFound),
      },
      {
        promise: "A message is a 404 from the moment retain_until is reached",
        run: async () => {
          const expired = await newMessage(raw, { retain_until: new Date(Date.now() - 1000) });
          expectError(await getMessage(secret, expired), messageNotFound);
        },
      },
      {
        promise: "A message id that is no UUID is a 400 that names it",
        run: async () => expectErrorAbout(await getMessage(secret, "not-a-uuid"), 400, "message_id"),
      },
      {
        promise: "The response is compressed as Accept-Encoding asks, and never otherwise",
        run: async () => {
          const identity = await getMessage(secret, id);
          equal(identity.headers["content-encoding"], undefined);
          for (const encoding of ["gzip", "br", "zstd"]) {
            const answer = await getMessage(secret, id, { headers: { "Accept-Encoding": encoding } });
            equal(answer.headers["content-encoding"], encoding);
            ok(answer.body.equals(identity.body), `${encoding} is another body`);
          }
        },
      },
      ...sizeChecks,
      {
        promise: "A message of more than 200 MB of JSON is a 406, or compressed",
        run: async () => {
          // A control character is six bytes of JSON, in content and again in content_parsed.
          const huge = await newMessage(Buffer.alloc(17 * MiB, "\u0001").fill("\n", 0, 1));
          expectError(await getMessage(secret, huge), tooLargeUncompressed);
          const answer = await getMessage(secret, huge, { headers: { "Accept-Encoding": "gzip" } });
          const { content } = expectStatus(answer, 200);
          equal(content.length, 17 * MiB);
          return `${answer.body.length} bytes of JSON in ${answer.bytes} of gzip`;
        },
      },
      {
        promise: "The first byte of 25 MiB comes long before the last, and about when that of 50 KiB does",
        run: async () => {
          const [small, large] = [await newMessage(newEmail(50 * KiB)), await newMessage(newEmail(25 * MiB))];
          const first = async (of: string) => await getMessage(secret, of);
          await first(small); // a cold start is another matter
          const [few, many] = [await first(small), await first(large)];
          ok(many.firstByte < many.lastByte / 2, `the first byte came after ${text(many.firstByte)}`);
          return `first byte ${text(many.firstByte)}, last ${text(many.lastByte)}; of 50 KiB ${text(few.firstByte)}`;
        },
      },
      {
        promise: "A reader who is slow gets all of it",
        run: async () => {
          const email = newEmail(10 * MiB);
          const answer = await getMessage(secret, await newMessage(email), { pause: 100 });
          ok(Buffer.from(expectStatus(answer, 200).content).equals(email), "content is not the email");
          return text(answer.lastByte);
        },
      },
      {
        promise: "A reader who leaves does no harm to the next",
        run: async () => {
          const large = await newMessage(newEmail(10 * MiB));
          const signal = AbortSignal.timeout(100);
          const url = `${service.url}/v2/accounts/${account_id}/messages/${large}`;
          const headers = { Authorization: `Bearer ${secret}` };
          await fetch(url, { headers, signal })
            .then((response) => response.text())
            .catch(() => {});
          expectStatus(await getMessage(secret, id), 200);
        },
      },
      {
        promise: "A fault within a response breaks it off, and the next request is served",
        run: async () => {
          const large = await newMessage(newEmail(5 * MiB));
          const items = await listItems(
            table,
            { pk: messagePartition(account_id, large), sk: "SEGMENT" },
            "pk",
            "sk",
          );
          await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...items.at(-1) } }));
          const url = `${service.url}/v2/accounts/${account_id}/messages/${large}`;
          const broken = await request(url, { headers: { Authorization: `Bearer ${secret}` } }).then(
            () => "complete",
            () => "broken off",
          );
          equal(broken, "broken off");
          expectStatus(await getMessage(secret, id), 200);
        },
      },
    ],
  };
};

/** Section 1 of the contract: Get Message. */
import { randomUUID } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { messageNotFound, tooLargeUncompressed } from "../../../lib/http/error-catalogue.ts";
import { keyOfSegment } from "../../../lib/messages/content/pages.ts";
import { Message } from "../../../lib/messages/message.ts";
import { findMessage } from "../../../lib/messages/read/find-message.ts";
import { newEmail } from "../../bench/email.ts";
import { expectError, expectErrorAbout, expectStatus } from "../expect.ts";
import { request } from "../request.ts";
import type { Service } from "../service.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

const raw = Buffer.from(`Subject: Small\r\n\r\n${"Grüße, ".repeat(120)}`);

const emails: [string, () => Buffer][] = [
  ["1 KiB", () => raw],
  ["1 MiB", () => newEmail(MiB)],
  ["25 MiB", () => newEmail(25 * MiB)],
  ["40 MiB", () => newEmail(40 * MiB - 64 * KiB)],
];

export const describeGetMessage = (serviceOf: () => Service, withLarge: boolean) =>
  describe("Get Message", () => {
    let service: Service;
    let secret: string;
    let id: string;
    beforeAll(async () => {
      service = serviceOf();
      secret = (await service.newKey()).secret;
      id = await service.newMessage(raw, { reference_message_id: 9007199254740993n, tags: ["one", "two"] });
    });
    const addressOf = (message: string) => `${service.url}/v2/accounts/${service.account_id}/messages/${message}`;

    test("A message has the documented fields and no others", async () => {
      const { content_parsed, ...message } = expectStatus(await service.getMessage(secret, id), 200);
      const optional = ["bounce_classification", "content_parsed"];
      const fields = Object.keys(Message.shape).filter((field) => !optional.includes(field));
      expect(Object.keys(message)).toEqual(fields);
      expect(message).toMatchObject({ tags: ["one", "two"], content: raw.toString() });
      expect(content_parsed.parts[0].content_type).toBe("text/plain");
    });

    test("reference_message_id is exact above 2^53", async () => {
      const { body } = await service.getMessage(secret, id);
      expect(body.toString()).toContain('"reference_message_id":9007199254740993');
    });

    test("Identifiers may have any case, and are returned in lower case", async () => {
      const path = `/v2/accounts/${service.account_id.toUpperCase()}/messages/${id.toUpperCase()}`;
      expect(expectStatus(await service.call(path, secret), 200).id).toBe(id);
    });

    test("content has every byte of an email that is not UTF-8", async () => {
      const bytes = Buffer.from([...Buffer.from("Subject: x\r\n\r\n"), ...Array(256).keys()]);
      const message = await service.newMessage(bytes);
      const { content } = expectStatus(await service.getMessage(secret, message), 200);
      expect(Buffer.from(content, "latin1").equals(bytes)).toBe(true);
    });

    test("content is null if the email is not available", async () => {
      const message = await service.newMessage(null);
      const received = expectStatus(await service.getMessage(secret, message), 200);
      expect(received).toMatchObject({ content: null, content_parsed: null });
    });

    test("An unknown message is a 404", async () => {
      expectError(await service.getMessage(secret, randomUUID()), messageNotFound);
    });

    test("A message is a 404 from the moment retain_until is reached", async () => {
      const expired = await service.newMessage(raw, { retain_until: new Date(Date.now() - 1000) });
      expectError(await service.getMessage(secret, expired), messageNotFound);
    });

    test("A message id that is not a UUID is rejected with a 400 that names it", async () => {
      expectErrorAbout(await service.getMessage(secret, "not-a-uuid"), 400, "message_id");
    });

    test("The response has the coding that Accept-Encoding asks for", async () => {
      const identity = await service.getMessage(secret, id);
      expect(identity.headers["content-encoding"]).toBeUndefined();
      for (const coding of ["gzip", "br", "zstd"]) {
        const response = await service.getMessage(secret, id, { headers: { "Accept-Encoding": coding } });
        expect(response.headers["content-encoding"]).toBe(coding);
        expect(response.body.equals(identity.body), coding).toBe(true);
      }
    });

    describe.skipIf(!withLarge)("if it is large", () => {
      test.each(emails)("An email of %s is returned byte for byte with its attachments", async (_, make) => {
        const email = make();
        const response = await service.getMessage(secret, await service.newMessage(email));
        const { content, content_parsed } = expectStatus(response, 200);
        expect(Buffer.from(content).equals(email)).toBe(true);
        expect(content_parsed.parts.length).toBeGreaterThan(0);
        for (const { content: base64 } of content_parsed.attachments) {
          expect(email.includes(base64.slice(0, 76))).toBe(true);
        }
      });

      test("Over 200 MB of JSON, the response is a 406 unless the caller accepts a coding", async () => {
        // The JSON has six bytes for each control character, in content and in content_parsed.
        const huge = await service.newMessage(Buffer.alloc(17 * MiB, "\u0001").fill("\n", 0, 1));
        expectError(await service.getMessage(secret, huge), tooLargeUncompressed);
        const response = await service.getMessage(secret, huge, { headers: { "Accept-Encoding": "gzip" } });
        expect(expectStatus(response, 200).content).toHaveLength(17 * MiB);
      });

      test("A large message is streamed: its first byte arrives long before its last byte", async ({ annotate }) => {
        const large = await service.newMessage(newEmail(25 * MiB));
        await service.getMessage(secret, id); // A cold start would delay the first byte.
        const { firstByte, lastByte } = await service.getMessage(secret, large);
        await annotate(`first byte after ${Math.round(firstByte)} ms, last byte after ${Math.round(lastByte)} ms`);
        expect(firstByte).toBeLessThan(lastByte / 2);
      });

      test("A slow reader receives the whole message", async () => {
        const email = newEmail(10 * MiB);
        const response = await service.getMessage(secret, await service.newMessage(email), { pause: 100 });
        expect(Buffer.from(expectStatus(response, 200).content).equals(email)).toBe(true);
      });

      test("After a reader disconnects, the next request succeeds", async () => {
        const large = await service.newMessage(newEmail(10 * MiB));
        const signal = AbortSignal.timeout(100);
        const headers = { Authorization: `Bearer ${secret}` };
        await fetch(addressOf(large), { headers, signal })
          .then((response) => response.text())
          .catch(() => {});
        expectStatus(await service.getMessage(secret, id), 200);
      });

      test("A fault after the first byte ends the response early, and the next request succeeds", async () => {
        const large = await service.newMessage(newEmail(5 * MiB));
        const { client, name: TableName } = service.table;
        const { account_id } = service;
        const found = await findMessage(service.table, account_id, large, Date.now());
        const last = (found?.head.segments ?? 0) - 1;
        const Key = found && keyOfSegment({ account_id, id: large }, found.head, last);
        await client.send(new DeleteCommand({ TableName, Key: { ...Key } }));
        const headers = { Authorization: `Bearer ${secret}` };
        await expect(request(addressOf(large), { headers })).rejects.toThrow();
        expectStatus(await service.getMessage(secret, id), 200);
      });
    });
  });

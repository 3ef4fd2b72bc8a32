/** A message read without a stack: the calls of Get Message, with four pages under way and without checks. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { fieldsOfHead } from "../../../lib/messages/fields.ts";
import { endOfAttempts, endOfSegments, headKey, type ItemKey, segmentKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { findApiKey } from "./calls.ts";

type Item = Record<string, unknown> & { sk: string; bytes: Buffer };

const pagesUnderWay = 4;

/** Reads the API key, the head and the first segment. Returns the head's fields as JSON, and the segments in order. */
export const readMessage = async (table: Table, event: APIGatewayProxyEvent) => {
  const { account_id = "", message_id = "" } = event.pathParameters ?? {};
  const query = async (from: ItemKey, to: string): Promise<Item[]> => {
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": from.pk, ":from": from.sk, ":to": to },
      }),
    );
    return Items as Item[];
  };
  const [, [head, ...others]] = await Promise.all([
    findApiKey(event, table),
    query(headKey(account_id, message_id), endOfSegments),
  ]);
  const { segments, page_segments, content_digest, ...stored } = head as Item;
  const first = others.find(({ bytes }) => bytes);
  const delivery_attempts = others
    .filter(({ sk }) => sk < endOfAttempts)
    .map(({ time, log, status }) => ({ time, log, status }));
  const all: Record<string, unknown> = {
    ...stored,
    object: "message",
    delivery_attempts,
    num_attempts: delivery_attempts.length,
  };
  const fields = Object.fromEntries(fieldsOfHead.map((name) => [name, all[name]]));

  const pages = async function* (): AsyncGenerator<Buffer> {
    const last = segments as number;
    const pageSize = page_segments as number;
    const underWay: Promise<Item[]>[] = [];
    let next = 1;
    const ask = () => {
      if (next >= last) return;
      const page = Math.ceil(next / pageSize);
      underWay.push(query(segmentKey(account_id, message_id, content_digest as string, next, page), endOfSegments));
      next += pageSize;
    };
    for (let page = 0; page < pagesUnderWay; page++) ask();
    if (first) yield first.bytes;
    for (let page = underWay.shift(); page; page = underWay.shift()) {
      const items = await page;
      ask();
      for (const { bytes } of items) yield bytes;
    }
  };
  return {
    opening: `${JSON.stringify(fields).slice(0, -1)},`,
    whole: segments === 1 ? first?.bytes : undefined,
    pages,
  };
};

/** A message read without a stack: the calls of Get Message, with four pages under way and without checks. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { headKey, type ItemKey, segmentKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { findApiKey } from "./calls.ts";

type Item = Record<string, unknown> & { bytes: Buffer };

const pagesUnderWay = 4;

/** Reads the API key, the head and the first segment. Returns the head's fields as JSON, and the segments in order. */
export const readMessage = async (table: Table, event: APIGatewayProxyEvent) => {
  const { account_id = "", message_id = "" } = event.pathParameters ?? {};
  const query = async (from: ItemKey, Limit: number): Promise<Item[]> => {
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk AND sk >= :from",
        ExpressionAttributeValues: { ":pk": from.pk, ":from": from.sk },
        Limit,
      }),
    );
    return Items as Item[];
  };
  const [, [head, first]] = await Promise.all([findApiKey(event, table), query(headKey(account_id, message_id), 2)]);
  const {
    pk: _pk,
    sk: _sk,
    segments,
    page_segments,
    digest: _digest,
    content_bytes: _contentBytes,
    content_start: _contentStart,
    content_parsed_start: _parsedStart,
    content_digest,
    domain: _domain,
    expires_at: _,
    ...fields
  } = head as Item;
  const num_attempts = (fields.delivery_attempts as unknown[]).length;

  const pages = async function* (): AsyncGenerator<Buffer> {
    const last = segments as number;
    const pageSize = page_segments as number;
    const underWay: Promise<Item[]>[] = [];
    let next = 1;
    const ask = () => {
      if (next >= last) return;
      const page = Math.ceil(next / pageSize);
      underWay.push(query(segmentKey(account_id, message_id, content_digest as string, next, page), pageSize));
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
    opening: `${JSON.stringify({ object: "message", ...fields, num_attempts }).slice(0, -1)},`,
    whole: segments === 1 ? first?.bytes : undefined,
    pages,
  };
};

/** A message read without a stack: the calls of Get Message, with four pages under way and without checks. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { headSort, messagePartition, segmentSort } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { findApiKey } from "./calls.ts";

type Item = Record<string, unknown> & { bytes: Buffer };

const pagesUnderWay = 4;
const segmentsPerPage = 3;

/** Reads the API key, the head and the first segment. Returns the head's fields as JSON, and the segments in order. */
export const readMessage = async (table: Table, event: APIGatewayProxyEvent) => {
  const { account_id = "", message_id = "" } = event.pathParameters ?? {};
  const query = async (from: string, Limit: number): Promise<Item[]> => {
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk AND sk >= :from",
        ExpressionAttributeValues: { ":pk": messagePartition(account_id, message_id), ":from": from },
        Limit,
      }),
    );
    return Items as Item[];
  };
  const [, [head, ...firstPage]] = await Promise.all([findApiKey(event, table), query(headSort, 2)]);
  const {
    pk: _pk,
    sk: _sk,
    segments,
    digest: _digest,
    content_bytes: _contentBytes,
    content_parsed_start: _start,
    content_digest,
    domain: _domain,
    expires_at: _,
    ...fields
  } = head as Item;
  const num_attempts = (fields.delivery_attempts as unknown[]).length;

  const pages = async function* (): AsyncGenerator<Buffer> {
    const last = segments as number;
    const pageSize = Math.min(segmentsPerPage, Math.ceil((last - 1) / pagesUnderWay));
    const underWay: Promise<Item[]>[] = [];
    let next = firstPage.length;
    const ask = () => {
      if (next >= last) return;
      underWay.push(query(segmentSort(content_digest as string, next), pageSize));
      next += pageSize;
    };
    for (let page = 0; page < pagesUnderWay; page++) ask();
    for (const { bytes } of firstPage) yield bytes;
    for (let page = underWay.shift(); page; page = underWay.shift()) {
      const items = await page;
      ask();
      for (const { bytes } of items) yield bytes;
    }
  };
  return {
    opening: `${JSON.stringify({ object: "message", ...fields, num_attempts }).slice(0, -1)},`,
    whole: firstPage.length === segments ? firstPage.map(({ bytes }) => bytes) : undefined,
    pages,
  };
};

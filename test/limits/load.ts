/** Load on the real functions. Callers do not wait for each other, and each request at once has its own environment. */
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { invoke, type LambdaHandler } from "../../infra/local/lambda.ts";
import type { Table } from "../../lib/table/table.ts";

export const percentile = (share: number, values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Invokes a function in a free environment, or in a new one with its own client. Returns each response's status. */
export const environments = (
  create: (table: Table) => LambdaHandler,
  open: () => Table,
  timeoutMilliseconds: number,
) => {
  const idle: LambdaHandler[] = [];
  let busy = 0;
  let most = 0;
  return {
    /** The largest number of environments that were busy at once. */
    most: () => most,
    invoke: async (event: object): Promise<number> => {
      const handler = idle.pop() ?? create(open());
      most = Math.max(most, ++busy);
      const { statusCode, body } = await invoke(handler, event as APIGatewayProxyEvent, { timeoutMilliseconds });
      if (typeof body !== "string") await finished(body.resume());
      busy--;
      idle.push(handler);
      return statusCode;
    },
  };
};

export type Sent = { status: number; ms: number };

/** Sends requests at random times, `perSecond` on average. Returns them when all have their responses. */
export const load = async (perSecond: number, seconds: number, send: () => Promise<number>): Promise<Sent[]> => {
  const sent: Promise<Sent>[] = [];
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    await sleep((-Math.log(1 - Math.random()) / perSecond) * 1000);
    const start = Date.now();
    sent.push(send().then((status) => ({ status, ms: Date.now() - start })));
  }
  return Promise.all(sent);
};

/** An operation's Lambda function, and what each operation needs. */
import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Operation, OperationId } from "../lib/api/operations.ts";
import { itemTypes } from "../lib/table/keys.ts";
import { type Needs, ServiceFunction, type Surroundings } from "./service-function.ts";

const needs: Record<OperationId, Needs> = {
  GetMessage: {
    // Memory buys processor: this is 0.6 of one, for 0.2 seconds of work in a cold start and 1 to 4 to send
    // a message of 40 MiB, less than the time that sending it takes. 230 MB are in use then.
    memoryMegabytes: 1024,
    // Lambda streams 6 MB at once and then 2 MB a second: 40 seconds for a message of 40 MiB, 97 for the
    // 200 MB at which it ends any response. The rest is for callers who read more slowly than that.
    timeout: Duration.minutes(5),
    permissions: [
      { call: "GetItem", on: [itemTypes.apiKey] },
      { call: "Query", on: [itemTypes.message] },
    ],
  },
  AddAccountMember: {
    // Two round trips with little between them: the processor is there for the cold start.
    memoryMegabytes: 1024,
    // The integration's limit is 29 seconds: the function ends first, so that its own log says why.
    timeout: Duration.seconds(28),
    permissions: [
      // Users and idempotency records before anything is written; all three that are written after a conflict.
      {
        call: "GetItem",
        on: [itemTypes.apiKey, itemTypes.user, itemTypes.account, itemTypes.idempotency],
      },
      {
        call: "PutItem",
        on: [itemTypes.user, itemTypes.account, itemTypes.idempotency],
        within: "TransactWriteItems",
      },
    ],
  },
};

/** The function that serves an operation. */
export class OperationFunction extends ServiceFunction {
  constructor(scope: Construct, { operation, ...surroundings }: Surroundings & { operation: Operation }) {
    const { id, method, path, file } = operation;
    super(scope, id, { ...surroundings, description: `${method} ${path}`, file, needs: needs[id] });
  }
}

/** An operation's Lambda function, and what each operation needs. */
import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Operation } from "../lib/api/operations.ts";
import { type Needs, ServiceFunction, type Surroundings } from "./service-function.ts";

const needsOf = ({ streams, permissions }: Operation): Needs => ({
  // 1,024 MB have 0.58 vCPU. A cold start needs 0.2 s of processor time. A message of 40 MiB needs 1 to 4 s and 230 MB.
  memoryMegabytes: 1024,
  // Lambda streams 6 MB at once and then 2 MB a second. So 200 MB, its limit, take 97 s. Slow readers get the rest.
  // API Gateway waits 29 s for a buffered response. The function ends first, so its own log contains the cause.
  timeout: streams ? Duration.minutes(5) : Duration.seconds(28),
  permissions,
});

/** The function that serves an operation. */
export class OperationFunction extends ServiceFunction {
  constructor(scope: Construct, { operation, ...surroundings }: Surroundings & { operation: Operation }) {
    const { id, method, path, file } = operation;
    super(scope, id, { ...surroundings, description: `${method} ${path}`, file, needs: needsOf(operation) });
  }
}

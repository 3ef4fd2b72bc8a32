/** The Lambda function of an operation. */
import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Operation } from "../lib/api/operations.ts";
import { ServiceFunction, type SharedProps } from "./service-function.ts";

export class OperationFunction extends ServiceFunction {
  constructor(scope: Construct, { operation, ...shared }: SharedProps & { operation: Operation }) {
    const { id, method, path, file, streams, permissions } = operation;
    super(scope, id, {
      ...shared,
      description: `${method} ${path}`,
      file,
      // 1,024 MB have 0.58 vCPU. The largest message needs less than half of the memory.
      memoryMegabytes: 1024,
      // Lambda streams 6 MB at once and then 2 MB a second. So 200 MB, its limit, take 97 s. Slow readers get the
      // rest. API Gateway waits 29 s for a buffered response. The function ends first, so its log has the cause.
      timeout: streams ? Duration.minutes(5) : Duration.seconds(28),
      permissions,
    });
  }
}

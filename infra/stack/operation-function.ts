/** The Lambda function of an operation. */
import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Operation } from "../../lib/api/operations.ts";
import { permissionsOf } from "./permissions.ts";
import { ServiceFunction, type SharedProps } from "./service-function.ts";

export class OperationFunction extends ServiceFunction {
  constructor(scope: Construct, { operation, ...shared }: SharedProps & { operation: Operation }) {
    const { id, method, path, file, streams } = operation;
    super(scope, id, {
      ...shared,
      description: `${method} ${path}`,
      file,
      // With 1,024 MB, Lambda provides 0.58 vCPU. The largest message needs less than 512 MB of memory.
      memoryMegabytes: 1024,
      // After the first 6 MB, Lambda streams at most 2 MB a second. So the largest response, 200 MB, takes 97 s. API
      // Gateway waits 29 s for a buffered response. The function stops after 28 s, so that Lambda can log the timeout.
      timeout: streams ? Duration.minutes(5) : Duration.seconds(28),
      permissions: permissionsOf(operation),
    });
  }
}

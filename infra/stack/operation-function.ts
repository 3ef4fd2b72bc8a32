/** Creates an operation's Lambda function, with enough memory and time for its largest response. */
import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Operation } from "../../lib/http/operations.ts";
import { permissionsOf } from "./permissions.ts";
import { ServiceFunction, type SharedProps } from "./service-function.ts";

export type OperationFunctionProps = SharedProps & { operation: Operation; concurrency: number | undefined };

export class OperationFunction extends ServiceFunction {
  constructor(scope: Construct, { operation, ...shared }: OperationFunctionProps) {
    const { id, method, path, file, streams } = operation;
    super(scope, id, {
      ...shared,
      description: `${method} ${path}`,
      file,
      // 512 MB would be enough memory, but with 1,024 MB, Lambda also gives us more processor time (0.58 vCPU).
      memoryMegabytes: 1024,
      // Lambda streams 2 MB a second after the first 6 MB, so the largest response, 200 MB, takes 97 s. By default, API
      // Gateway waits at most 29 s for a buffered response. We stop after 28 s, so that the timeout appears in the
      // function's log.
      timeout: streams ? Duration.minutes(5) : Duration.seconds(28),
      permissions: permissionsOf(operation),
    });
  }
}

/** The DynamoDB table: its name and the SDK's client. */
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ConfiguredRetryStrategy } from "@smithy/core/retry";
import { inPlaceBase64 } from "./in-place-base64.ts";
import { backoff } from "./retry.ts";

type Logger = NonNullable<DynamoDBClientConfig["logger"]>;

/** Without `info`: for a logger that has it, the SDK copies the input and output of every call. */
const silent: Omit<Logger, "info"> = { trace() {}, debug() {}, warn() {}, error() {} };

/**
 * The attempts of a call. With six, a hot key at twice its capacity takes five times as many environments, and a table
 * that stalls for 3 s in each attempt outlasts the function.
 */
const attempts = 3;

/** What a log may show of an error: the other fields of DynamoDB's errors can hold stored items. */
export const loggableError = ({ name, message, stack }: Error) => ({ name, message, stack });

export type Table = {
  readonly name: string;
  readonly client: Pick<DynamoDBDocumentClient, "send">;
  /** `uptimeMs()` at which the function that uses the table must be done. No retry begins after it. */
  readonly deadline?: number;
};

type TableOptions = {
  /** The table's name; by default the environment variable `TABLE_NAME`. */
  name?: string | undefined;
  /** The URL of DynamoDB. By default, the SDK uses `AWS_ENDPOINT_URL_DYNAMODB` or the region's URL. */
  endpoint?: string | undefined;
  /** The longest wait for data from DynamoDB, in milliseconds; by default 3,000. */
  timeoutMs?: number;
  /**
   * Waits for about 500 ms and 1 s between the attempts of a call, as the SDK does by default, and not for 25 and 50 ms.
   * Large messages then take 1.25 puts for each that they need, and otherwise 2.9.
   */
  canWait?: boolean;
};

/** @throws Error if neither `name` nor TABLE_NAME is set */
export const openTable = ({
  name = process.env.TABLE_NAME,
  endpoint,
  timeoutMs = 3000,
  canWait = false,
}: TableOptions = {}): Table => {
  if (!name) throw new Error("TABLE_NAME is not set: it names the DynamoDB table");
  const client = new DynamoDBClient({
    ...(endpoint && { endpoint }),
    maxAttempts: attempts,
    retryStrategy: new ConfiguredRetryStrategy(attempts, (failures) =>
      canWait ? backoff(failures, 500, 2000) : backoff(failures, 25, 100),
    ),
    requestHandler: {
      connectionTimeout: 1000,
      socketTimeout: timeoutMs, // the longest pause before or during a response
    },
    logger: silent as Logger,
    ...inPlaceBase64(),
  });
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
};

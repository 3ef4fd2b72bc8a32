/** Opens the table. Timeouts and retries are short, because a Lambda environment waits with every call. */
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ConfiguredRetryStrategy } from "@smithy/core/retry";
import { inPlaceBase64 } from "./in-place-base64.ts";
import { backoff } from "./retry.ts";

type Logger = NonNullable<DynamoDBClientConfig["logger"]>;

/** A logger with a method `info` would make the SDK copy the input and output of every call. */
const silent: Omit<Logger, "info"> = { trace() {}, debug() {}, warn() {}, error() {} };

/** More attempts keep Lambda environments busy: with six, an overloaded partition would occupy five times as many. */
const attempts = 3;

/** We log only these fields of an error, because others can contain stored items. */
export const loggableError = ({ name, message, stack }: Error) => ({ name, message, stack });

export type Table = {
  readonly name: string;
  readonly client: Pick<DynamoDBDocumentClient, "send">;
  /** Once `uptimeMs()` exceeds this value, no call is retried. */
  readonly deadline?: number;
};

type TableOptions = {
  name?: string | undefined;
  /** The URL of DynamoDB; by default `AWS_ENDPOINT_URL_DYNAMODB` or the region's URL. */
  endpoint?: string | undefined;
  /** For how many milliseconds a response from DynamoDB may stall; by default 3,000. */
  timeoutMs?: number;
  /**
   * Waits longer before a retry: about 500 ms and then 1 s, instead of 25 and 50 ms. Writing a large message into a new
   * table took 2.9 attempts per write before, and 1.25 with these waits.
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
    requestHandler: { connectionTimeout: 1000, socketTimeout: timeoutMs },
    logger: silent as Logger,
    ...inPlaceBase64(),
  });
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
};

/** Opens the table. Timeouts and retries are short, because a Lambda environment waits with every call. */
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { inPlaceBase64 } from "./in-place-base64.ts";
import { longestCallMs, sdkRetries, withSignal } from "./retry.ts";
import { expectWholeResponses } from "./whole-response.ts";

type Logger = NonNullable<DynamoDBClientConfig["logger"]>;

/** A logger with a method `info` would make the SDK copy the input and output of every call. */
const silent: Omit<Logger, "info"> = { trace() {}, debug() {}, warn() {}, error() {} };

/** DynamoDB names the limit that a throttled call has met, such as `TableWriteKeyRangeThroughputExceeded`. */
type SdkError = Error & { ThrottlingReasons?: readonly { reason?: string | undefined }[] };

/**
 * We log only these fields of an error, because others can contain stored items. The text of a ValidationException can
 * quote a value, so we log only where it was thrown.
 */
export const loggableError = ({ name, message, stack = "", ThrottlingReasons }: SdkError) => ({
  name,
  ...(name === "ValidationException"
    ? { stack: stack.slice(stack.indexOf("\n    at ", stack.indexOf(message) + message.length)) }
    : { message, stack }),
  ...(ThrottlingReasons && { throttling_reasons: ThrottlingReasons.map(({ reason }) => reason) }),
});

export type Table = {
  readonly name: string;
  readonly client: Pick<DynamoDBDocumentClient, "send">;
  /** Whether a throttled transaction is retried until the deadline, instead of for a second. */
  readonly canWait?: boolean;
  /** Once `uptimeMs()` exceeds this value, no call is retried. */
  readonly deadline?: number;
};

type TableOptions = {
  name?: string | undefined;
  /** The URL of DynamoDB; by default `AWS_ENDPOINT_URL_DYNAMODB` or the region's URL. */
  endpoint?: string | undefined;
  /** For how many milliseconds a response from DynamoDB may stall; by default 3,000. */
  timeoutMs?: number;
  /** For who can wait: see `retry.ts`. */
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
    ...sdkRetries(canWait),
    requestHandler: { connectionTimeout: 1000, socketTimeout: timeoutMs },
    logger: silent as Logger,
    ...inPlaceBase64(),
  });
  expectWholeResponses(client);
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const table = { name, canWait, client: documents };
  const send = (...call: never[]) =>
    Reflect.apply(withSignal(table, AbortSignal.timeout(longestCallMs(canWait))).client.send, undefined, call);
  return { ...table, client: Object.create(documents, { send: { value: send } }) };
};

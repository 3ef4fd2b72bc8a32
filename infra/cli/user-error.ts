/** Turns an error into one line that tells the operator what to do. */
import { getSystemErrorMap } from "node:util";

/** An error that the user can fix, so it is shown without a stack trace. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** The program's exit status. Status 2 means wrong arguments, and status 1 means any other failure. */
  readonly exitStatus: 1 | 2;

  constructor(message: string, exitStatus: 1 | 2 = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

const unreachable = /^(EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENOTFOUND|ETIMEDOUT)$/;

type SdkError = Error & { code?: string; errno?: number; $fault?: string };

/**
 * Explains an error of the AWS SDK or the operating system and, for the usual causes, says what to do. An unknown error
 * gives `undefined`.
 */
const fixOf = ({ name, message, code = "", errno, $fault }: SdkError): string | undefined => {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME } = process.env;
  if (endpoint && !(/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))) {
    return `AWS_ENDPOINT_URL_DYNAMODB takes a URL such as http://127.0.0.1:8000, not ${endpoint}`;
  }
  if (unreachable.test(code) || name === "TimeoutError") {
    return endpoint
      ? `No DynamoDB responds at ${endpoint}. Check that "npm start" or another DynamoDB runs there`
      : "DynamoDB does not respond. Check the network and AWS_REGION";
  }
  if (/^Region (is missing|not accepted)/.test(message)) {
    return endpoint
      ? "Set AWS_REGION. A DynamoDB on this machine accepts any region"
      : "Set AWS_REGION to the table's region, or pass --local";
  }
  if (
    name.startsWith("ExpiredToken") ||
    (/TokenProviderError|CredentialsProviderError/.test(name) && /expired/i.test(message))
  ) {
    return "Your AWS credentials have expired. Sign in again, and run the command again";
  }
  if (name === "CredentialsProviderError") {
    return endpoint
      ? "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. A DynamoDB on this machine accepts any credentials"
      : 'No AWS credentials were found. Run "aws configure", set AWS_PROFILE, or pass --local';
  }
  if (name === "ResourceNotFoundException") return `There is no table named ${TABLE_NAME}`;
  if (errno !== undefined) return getSystemErrorMap().get(errno)?.[1];
  return $fault === undefined ? undefined : `DynamoDB reported an error: ${message || name}`;
};

/** Returns a UserError if the user can fix the cause, otherwise the original error. */
export const toUserError = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const fix = fixOf(error);
  return fix === undefined ? error : new UserError(fix);
};

export const describe = (error: unknown): string => {
  const known = toUserError(error);
  return known instanceof Error ? known.message.split("\n")[0] || known.name : String(known);
};

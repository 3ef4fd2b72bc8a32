/** Why a command failed, in one line, with what the operator can do about it. */
const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH"]);

const whatToDo = ({ name, message, code = "" }: Error & { code?: string }): string | undefined => {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME } = process.env;
  if (unreachable.has(code) || name === "TimeoutError") {
    return `No DynamoDB answers at ${endpoint ?? "AWS"}${endpoint ? ': is "npm start" running?' : ""}`;
  }
  if (code === "ERR_INVALID_URL") return `AWS_ENDPOINT_URL_DYNAMODB takes a URL, not ${endpoint}`;
  if (name === "ResourceNotFoundException") return `There is no table named ${TABLE_NAME}`;
  if (message === "Region is missing") return "No AWS region is set: set AWS_REGION, or pass --local";
  if (name === "CredentialsProviderError") {
    return 'No AWS credentials are found: run "aws configure", set AWS_PROFILE, or pass --local';
  }
  return undefined;
};

/** A secret must not reach a terminal's scrollback or a log, however it came into a message. */
export const withoutSecrets = (line: string): string => line.replaceAll(/emk_[\w-]+/g, "emk_…");

export const explain = (error: Error): string =>
  whatToDo(error) ?? (error.message.split("\n")[0] || error.name);

/** Converts an HTTP request to the event that API Gateway's proxy integration sends to a function. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Operation } from "../../lib/http/operations.ts";

/** The target of a request. Only a request line with a whole URL (`GET http://host/path`) has an `authority`. */
export type Target = { path: string; query: string; authority?: string };

/** Parses the request target, but leaves dots, double slashes and percent-encoding in the path unchanged. */
export const targetOf = ({ url = "/" }: IncomingMessage): Target => {
  const {
    authority,
    path = "",
    query = "",
  } = /^(?:https?:\/\/(?<authority>[^/?]*))?(?<path>[^?]*)\??(?<query>.*)$/is.exec(url)?.groups ?? {};
  return { path: path || "/", query, ...(authority !== undefined && { authority }) };
};

type Pairs = [name: string, value: string][];

/**
 * If a header or a parameter occurs twice, the last value counts. `Object.fromEntries` keeps even a header named
 * `__proto__`, which an assignment would lose.
 */
const lastValues = (pairs: Pairs): Record<string, string> => Object.fromEntries(pairs);

const allValues = (pairs: Pairs): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]),
  );

const headerPairs = ({ rawHeaders }: IncomingMessage): Pairs =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : []));

const nobody = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

type Details = { extendedRequestId: string; pathParameters: Record<string, string>; body: string | null };

export const toEvent = (
  request: IncomingMessage,
  operation: Operation,
  { path, query }: Target,
  { extendedRequestId, pathParameters, body }: Details,
): APIGatewayProxyEvent => {
  const headers = headerPairs(request);
  const parameters: Pairs = [...new URLSearchParams(query)];
  return {
    resource: operation.path,
    path,
    httpMethod: operation.method,
    headers: lastValues(headers),
    multiValueHeaders: allValues(headers),
    queryStringParameters: parameters.length > 0 ? lastValues(parameters) : null,
    multiValueQueryStringParameters: parameters.length > 0 ? allValues(parameters) : null,
    pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      authorizer: null,
      // API Gateway copies `requestId` from the caller's header x-amzn-RequestId, so `requestId` may not be unique.
      requestId: request.headers["x-amzn-requestid"]?.toString() ?? randomUUID(),
      extendedRequestId,
      resourceId: operation.id,
      resourcePath: operation.path,
      httpMethod: operation.method,
      path,
      stage: "local",
      protocol: "HTTP/1.1",
      identity: {
        ...nobody,
        sourceIp: request.socket.remoteAddress ?? "",
        userAgent: request.headers["user-agent"] ?? null,
      },
      requestTimeEpoch: Date.now(),
    },
    body,
    isBase64Encoded: false,
  };
};

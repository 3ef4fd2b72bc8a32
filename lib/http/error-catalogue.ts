/** All errors of the API, whether a function sends them or API Gateway. */

/** If a header has an array of values, our functions send one of them at random. */
export type ErrorResponse = {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
};

const error = (status: number, message: string, headers: ErrorResponse["headers"] = {}): ErrorResponse => ({
  status,
  message,
  headers,
});

export const missingCredentials = error(401, "Missing or malformed bearer token", {
  "WWW-Authenticate": "Bearer",
});
/** We don't tell a caller whether the key is unknown, revoked, expired or for another account. */
export const invalidApiKey = error(401, "Invalid API key", {
  "WWW-Authenticate": 'Bearer error="invalid_token"',
});
export const lacksScope = (scope: string) =>
  error(403, `The API key lacks the scope ${scope}`, {
    "WWW-Authenticate": 'Bearer error="insufficient_scope"',
  });

/** @param rule such as "email must be an email address" */
export const invalid = (rule: string) => error(400, rule);
export const repeatedParameter = (name: string) => invalid(`${name} must be given only once`);
export const idempotencyKeyLength = error(400, "Idempotency-Key must be 1 to 255 characters");
export const idempotencyKeyConflict = error(400, "Idempotency-Key must have only one value");
export const notJsonMediaType = error(415, "Content-Type must be application/json");
export const encodedBody = error(415, "Content-Encoding must be absent: send the body as plain JSON, uncompressed");
export const bodyTooLarge = error(413, "The request body must be at most 64 KiB");
export const malformedJson = error(400, "The request body must be valid JSON");
export const nestedTooDeep = error(400, "The request body must not nest deeper than 100 levels");
export const halfSurrogatePair = error(400, "The request body must be Unicode text: it holds half a surrogate pair");
export const notUtf8 = error(
  400,
  "The request body must be UTF-8, without U+FFFD, which stands for bytes that were not",
);
/** Quotes at most 50 characters of the name. */
export const repeatedField = (name: string) =>
  invalid(`The request body must have each field only once, but has ${JSON.stringify(name.slice(0, 50))} twice`);
export const protoField = error(400, "The request body must have no field __proto__");
export const prototypeField = error(400, "The request body must have no field constructor that holds prototype");

export const messageNotFound = error(404, "Message not found");
export const tooLargeUncompressed = error(
  406,
  "The message is larger than the 200 MB that a response may have: accept zstd, br or gzip",
  { Vary: "Accept-Encoding" },
);
export const alreadyMember = error(409, "The user is already a member of this account");
export const idempotencyKeyReused = error(422, "The idempotency key was already used with a different request");

export const noRoute = error(404, "No such route or method");
export const blocked = error(403, "The request was blocked by a firewall rule");
export const tooManyRequests = error(429, "Too many requests: please slow down", { "Retry-After": "1" });
export const internalError = error(500, "Internal server error");
/** Callers get different values of Retry-After, so that they don't all come back in the same second. */
export const unavailable = error(503, "The service is temporarily unavailable: please try again", {
  "Retry-After": ["1", "2", "3"],
});

/** Every error that a caller may see, in its own words: thrown, answered by API Gateway and documented from here. */

/** One sentence for the caller, with its HTTP status and the headers that belong to it. */
export type ErrorResponse = {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export const missingCredentials = {
  status: 401,
  message: "Missing or malformed bearer token",
  headers: { "WWW-Authenticate": "Bearer" },
} as const;

/** One answer for a key that is unknown, revoked, expired or another account's: they can't be told apart. */
export const invalidApiKey = {
  status: 401,
  message: "Invalid API key",
  headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
} as const;

export const lacksScope = <Scope extends string>(scope: Scope) =>
  ({
    status: 403,
    message: `The API key lacks the scope ${scope}`,
    headers: { "WWW-Authenticate": 'Bearer error="insufficient_scope"' },
  }) as const;

/** Input that breaks a rule of its schema: the rule says which field, and what it accepts. */
export const invalid = (rule: string): ErrorResponse => ({ status: 400, message: rule });

export const repeatedParameter = (name: string): ErrorResponse => invalid(`${name} must be given only once`);

export const idempotencyKeyLength = {
  status: 400,
  message: "Idempotency-Key must be 1 to 255 characters",
} as const;

export const idempotencyKeyConflict = {
  status: 400,
  message: "Idempotency-Key must have only one value",
} as const;

export const notJsonMediaType = { status: 415, message: "Content-Type must be application/json" } as const;
export const bodyTooLarge = { status: 413, message: "The request body must be at most 64 KiB" } as const;

export const malformedJson = { status: 400, message: "The request body must be valid JSON" } as const;
export const nestedTooDeep = {
  status: 400,
  message: "The request body must not nest deeper than 100 levels",
} as const;
export const halfSurrogatePair = {
  status: 400,
  message: "The request body must be Unicode text: it holds half a surrogate pair",
} as const;

/** A field that could replace an object's prototype. */
export const protoField = {
  status: 400,
  message: "The request body must have no field __proto__",
} as const;
export const prototypeField = {
  status: 400,
  message: "The request body must have no field constructor that holds prototype",
} as const;

export const messageNotFound = { status: 404, message: "Message not found" } as const;
export const tooLargeUncompressed = {
  status: 406,
  message: "The message is larger than the 200 MB that a response may have: accept zstd, br or gzip",
  headers: { Vary: "Accept-Encoding" },
} as const;
export const alreadyMember = {
  status: 409,
  message: "The user is already a member of this account",
} as const;
export const idempotencyKeyReused = {
  status: 422,
  message: "The idempotency key was already used with a different request",
} as const;

export const noRoute = { status: 404, message: "No such route or method" } as const;
export const blocked = { status: 403, message: "The request was blocked by a firewall rule" } as const;
export const tooManyRequests = {
  status: 429,
  message: "Too many requests: please slow down",
  headers: { "Retry-After": "1" },
} as const;
export const internalError = { status: 500, message: "Internal server error" } as const;
export const unavailable = {
  status: 503,
  message: "The service is temporarily unavailable: please try again",
  headers: { "Retry-After": "1" },
} as const;

/** Fingerprints of requests. All requests with one Idempotency-Key must have equal fingerprints. */
import { createHash } from "node:crypto";
import type { AccountPath, Operation } from "./operations.ts";

/** Returns the value as JSON with sorted field names, so equal values result in equal JSON. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value === "number") return String(value); // JSON.stringify writes Infinity (1e400) as null.
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)}}`;
};

/** Returns a digest of method, path and body. The digest does not depend on white space or field order in the body. */
export const fingerprint = ({ method, path }: Operation, parameters: AccountPath, body: unknown): string =>
  createHash("sha256")
    .update(`${method} ${path} ${canonical(parameters)} ${canonical(body)}`)
    .digest("hex");

/** One text for all requests that ask for the same. */
import { createHash } from "node:crypto";
import type { AccountPath, Operation } from "./operations.ts";

/** The value in JSON with the fields of every object in order: equal values, equal text. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value === "number") return String(value); // JSON has no infinity, and a caller may send 1e400
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)}}`;
};

/**
 * The SHA-256, in hex, of method, path and body. White space and the order of fields make no difference.
 *
 * @param body a value that JSON can say, nested at most as deep as `validate.ts` lets pass
 */
export const fingerprint = ({ method, path }: Operation, parameters: AccountPath, body: unknown): string =>
  createHash("sha256")
    .update(`${method} ${path} ${canonical(parameters)} ${canonical(body)}`)
    .digest("hex");

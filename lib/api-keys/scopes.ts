/** The scopes of API keys. */
import { normalDomain } from "../domain.ts";

export const scopes = {
  everything: "*",
  readMessages: "messages:read:all",
  addMembers: "accounts:members:add",
} as const;

/** A scope that an operation requires, or `*` for all operations. */
export type Scope = (typeof scopes)[keyof typeof scopes];

const domainPrefix = "messages:read:{";

/** Returns the scope for reading the messages of one domain. `domain` must be a result of `normalDomain`. */
export const domainScope = (domain: string): string => `${domainPrefix}${domain}}`;

export const isDomainScope = (scope: string): boolean => scope.startsWith(domainPrefix);

/** Returns whether an API key with the scopes `held` has the scope `*` or one of the scopes `accepted`. */
export const grants = (held: readonly string[], ...accepted: string[]): boolean =>
  [scopes.everything, ...accepted].some((scope) => held.includes(scope));

/** Lists the valid scopes for error messages and `--help`. */
export const scopeForms = `${Object.values(scopes).join(", ")} or ${domainScope("example.com")}`;

/** Parses a scope, and converts a domain in the scope to ASCII and lower case. Returns `null` for an unknown scope. */
export const parseScope = (text: string): string | null => {
  if (!isDomainScope(text)) return Object.values<string>(scopes).includes(text) ? text : null;
  const domain = text.endsWith("}") ? normalDomain(text.slice(domainPrefix.length, -1)) : null;
  return domain === null ? null : domainScope(domain);
};

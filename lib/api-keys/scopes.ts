/** The scopes of API keys. */
import { normalDomain } from "../domain.ts";

export const scopes = {
  everything: "*",
  readMessages: "messages:read:all",
  addMembers: "accounts:members:add",
} as const;

/** A scope that an operation requires, or `*`. */
export type Scope = (typeof scopes)[keyof typeof scopes];

const domainPrefix = "messages:read:{";

/** Returns the scope for the messages of one domain, which must be in `normalDomain`'s form. */
export const domainScope = (domain: string): string => `${domainPrefix}${domain}}`;

export const isDomainScope = (scope: string): boolean => scope.startsWith(domainPrefix);

/** Returns whether a key with the scopes `held` has this scope. */
export const grants = (held: readonly string[], scope: string): boolean =>
  held.includes(scopes.everything) || held.includes(scope);

/** Lists the valid scopes for error messages and `--help`. */
export const scopeForms = `${Object.values(scopes).join(", ")} or ${domainScope("example.com")}`;

const known: readonly string[] = Object.values(scopes);

/** Returns the stored form of a scope: its domain is in ASCII and lower case. Returns `null` for an unknown scope. */
export const parseScope = (text: string): string | null => {
  if (!isDomainScope(text)) return known.includes(text) ? text : null;
  const domain = text.endsWith("}") ? normalDomain(text.slice(domainPrefix.length, -1)) : null;
  return domain === null ? null : domainScope(domain);
};

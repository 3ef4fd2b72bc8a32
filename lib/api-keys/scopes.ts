/** What an API key may do. */
import { normalDomain } from "../domain.ts";

export const scopes = {
  everything: "*",
  readMessages: "messages:read:all",
  addMembers: "accounts:members:add",
} as const;

export type Scope = (typeof scopes)[keyof typeof scopes];

const domainPrefix = "messages:read:{";

/** The scope for the messages of one domain. @param domain a result of `normalDomain` */
export const domainScope = (domain: string): string => `${domainPrefix}${domain}}`;

export const isDomainScope = (scope: string): boolean => scope.startsWith(domainPrefix);

export const grants = (held: readonly string[], ...accepted: string[]): boolean =>
  [scopes.everything, ...accepted].some((scope) => held.includes(scope));

/** For error messages and `--help`. */
export const scopeForms = `${Object.values(scopes).join(", ")} or ${domainScope("example.com")}`;

/** Brings a domain in the scope into its one spelling. Returns `null` for an unknown scope. */
export const parseScope = (text: string): string | null => {
  if (!isDomainScope(text)) return Object.values<string>(scopes).includes(text) ? text : null;
  const domain = text.endsWith("}") ? normalDomain(text.slice(domainPrefix.length, -1)) : null;
  return domain === null ? null : domainScope(domain);
};

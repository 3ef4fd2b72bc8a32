/** The scopes of an API key: which operations it may call, and for which domain's messages. */
import { normalDomain } from "../addresses/domain.ts";

export const scopes = {
  everything: "*",
  readMessages: "messages:read:all",
  addMembers: "accounts:members:add",
} as const;

export type Scope = (typeof scopes)[keyof typeof scopes];

const domainPrefix = "messages:read:{";

/** @param domain in the form that `normalDomain` returns */
export const domainScope = (domain: string): string => `${domainPrefix}${domain}}`;

export const isDomainScope = (scope: string): boolean => scope.startsWith(domainPrefix);

export const grants = (held: readonly string[], ...accepted: string[]): boolean =>
  [scopes.everything, ...accepted].some((scope) => held.includes(scope));

export const scopeForms = `${Object.values(scopes).join(", ")} or ${domainScope("example.com")}`;

/** Returns the scope with its domain in lower-case ASCII, or `null` if there is no such scope. */
export const parseScope = (text: string): string | null => {
  if (!isDomainScope(text)) return Object.values<string>(scopes).includes(text) ? text : null;
  const domain = text.endsWith("}") ? normalDomain(text.slice(domainPrefix.length, -1)) : null;
  return domain === null ? null : domainScope(domain);
};

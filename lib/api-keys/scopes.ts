/** What an API key may do: every scope there is, and what it grants. */
import { normalDomain } from "../domain.ts";

export const scopes = {
  everything: "*",
  readMessages: "messages:read:all",
  addMembers: "accounts:members:add",
} as const;

/** A scope that an operation asks for, or that stands for all of them. */
export type Scope = (typeof scopes)[keyof typeof scopes];

const domainPrefix = "messages:read:{";

/** Grants the messages of one domain, which `normalDomain` has spelled. */
export const domainScope = (domain: string): string => `${domainPrefix}${domain}}`;

export const isDomainScope = (scope: string): boolean => scope.startsWith(domainPrefix);

/** Whether a key with these scopes may do what a scope stands for. */
export const grants = (held: readonly string[], scope: string): boolean =>
  held.includes(scopes.everything) || held.includes(scope);

/** Every form that a scope may have, in words. */
export const scopeForms = `${scopes.everything}, ${scopes.readMessages}, ${domainScope("example.com")} or ${scopes.addMembers}`;

const known: readonly string[] = Object.values(scopes);

/** The scope as keys hold it (a domain in ASCII and lower case), or `null` when it grants nothing that exists. */
export const parseScope = (text: string): string | null => {
  if (!isDomainScope(text)) return known.includes(text) ? text : null;
  const domain = text.endsWith("}") ? normalDomain(text.slice(domainPrefix.length, -1)) : null;
  return domain === null ? null : domainScope(domain);
};

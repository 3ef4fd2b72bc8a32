/** What an API key may do. */

/** Grants everything. */
export const everything = "*";

const domainScope = /^messages:read:\{[a-z\d-]+(?:\.[a-z\d-]+)*\}$/;

/** The scope as keys hold it (domains in lower case), or `null` when it grants nothing that exists. */
export const parseScope = (text: string): string | null => {
  const scope = text.startsWith("messages:read:{") ? text.toLowerCase() : text;
  const known = [everything, "messages:read:all", "accounts:members:add"].includes(scope);
  return known || domainScope.test(scope) ? scope : null;
};

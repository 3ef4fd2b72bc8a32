/**
 * Detects cross-site requests. A browser sends the page's origin in the Origin header, and the server's name in the
 * Host header. We also check the Host header, because in a DNS rebinding attack, it contains the attacker's domain.
 */
import type { IncomingMessage } from "node:http";

const ownNames = ["127.0.0.1", "localhost", "[::1]"];

const ownAuthorities = ({ socket }: IncomingMessage): string[] =>
  ownNames.flatMap((name) => [`${name}:${socket.localPort}`, ...(socket.localPort === 80 ? [name] : [])]);

/** A request without an Origin header passes, because programs other than browsers usually send none. */
export const hasForeignOrigin = (request: IncomingMessage): boolean => {
  const own = ownAuthorities(request).map((authority) => `http://${authority}`);
  return (request.headersDistinct.origin ?? []).some((origin) => !own.includes(origin.toLowerCase()));
};

/**
 * A picture or a script of another page sends no Origin, but browsers add Sec-Fetch-Site. Another port of this machine
 * is the same site, and yet somebody else's page.
 */
export const hasForeignSite = ({ headersDistinct }: IncomingMessage): boolean =>
  (headersDistinct["sec-fetch-site"] ?? []).some((site) => /^(cross|same)-site$/i.test(site.trim()));

/** A person follows a link, for example in a chat, to a page of its own. */
export const isFollowedLink = ({ headers }: IncomingMessage): boolean =>
  headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";

/**
 * @param authority the host in a request target such as `http://host/path`; it replaces Host (RFC 9112, section 3.2.2)
 */
export const hasForeignHost = (request: IncomingMessage, authority?: string): boolean => {
  const { host = [] } = request.headersDistinct;
  const own = ownAuthorities(request);
  const names = authority === undefined ? host : [...host, authority];
  return names.some((name) => !own.includes(name.toLowerCase()));
};

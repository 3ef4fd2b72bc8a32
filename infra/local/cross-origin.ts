/**
 * Who may speak to a server on this machine: programs, and the pages that it serves itself. A browser says where a
 * page comes from in Origin, and by which name it found the server in Host, which is someone else's name when
 * their DNS points at this machine (DNS rebinding).
 */
import type { IncomingMessage } from "node:http";

const ownNames = ["127.0.0.1", "localhost", "[::1]"];

const ownAuthorities = (port: number | undefined): string[] =>
  ownNames.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);

/** @param authority what an absolute request target names, which counts for more than Host (RFC 9112, section 3.2.2) */
export const isForeign = ({ headersDistinct, socket }: IncomingMessage, authority?: string): boolean => {
  const { host = [], origin = [] } = headersDistinct;
  const own = ownAuthorities(socket.localPort);
  const names = authority === undefined ? host : [...host, authority];
  return (
    names.some((name) => !own.includes(name.toLowerCase())) ||
    origin.some((from) => !own.some((name) => from.toLowerCase() === `http://${name}`))
  );
};

/** Servers on this machine that end with the test file. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { afterAll } from "vitest";

/** Starts a server on a free port of 127.0.0.1. Returns the port. Closes the server after the last test of the file. */
export const listen = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

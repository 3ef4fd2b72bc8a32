/** Servers for tests. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { cleanUp } from "./clean-up.ts";

/** Starts the server on a free port of 127.0.0.1 until the test ends. Returns the port. */
export const listen = async (server: Server & { closeAllConnections?: () => void }): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

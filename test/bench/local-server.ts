/** Servers on this machine. */
import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/** Starts a server on a free port of 127.0.0.1. `stop` also closes its connections. */
export const startServer = async (server: Server): Promise<{ port: number; stop: () => void }> => {
  const callers = new Set<Socket>();
  server.on("connection", (caller) => callers.add(caller));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const caller of callers) caller.destroy();
      server.close();
    },
  };
};

/** TLS in front of the engine. DynamoDB has it, and a function's first call waits for its handshake. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createServer } from "node:tls";
import { newCertificate } from "../harness/certificate.ts";
import { startServer } from "./local-server.ts";

export type SecureEngine = {
  /** The variables with which a function finds the engine and trusts its certificate. */
  environment: Record<string, string>;
  stop: () => void;
};

/** @throws Error without `openssl`, which makes the certificate */
export const startSecureEngine = async (engineUrl: string): Promise<SecureEngine> => {
  const { hostname, port: enginePort } = new URL(engineUrl);
  const folder = mkdtempSync(join(tmpdir(), "email-api-tls-"));
  const files = newCertificate(folder);
  const options = { key: readFileSync(files.key), cert: readFileSync(files.cert) };
  const server = createServer({ ...options, noDelay: true }, (caller) => {
    const engine = connect(Number(enginePort), hostname).setNoDelay();
    pipeline(caller, engine, caller, () => {}); // errors are expected: the function's process is killed
  });
  const { port, stop } = await startServer(server);
  return {
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: files.cert,
    },
    stop: () => {
      stop();
      rmSync(folder, { recursive: true });
    },
  };
};

/** TLS in front of the engine, as DynamoDB has it: what a function's first call waits for. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createServer } from "node:tls";

const newCertificate = (folder: string): { key: string; cert: string } => {
  const files = { key: join(folder, "key.pem"), cert: join(folder, "certificate.pem") };
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const keyOf = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const into = ["-keyout", files.key, "-out", files.cert];
  execFileSync("openssl", ["req", "-x509", ...keyOf, ...subject, ...into], { stdio: "pipe" });
  return files;
};

export type SecureEngine = {
  /** What a function's environment says, so that it finds the engine and trusts it. */
  environment: Record<string, string>;
  stop: () => void;
};

/** @throws Error when there is no `openssl` to make a certificate with */
export const startSecureEngine = async (engineUrl: string): Promise<SecureEngine> => {
  const { hostname, port } = new URL(engineUrl);
  const folder = mkdtempSync(join(tmpdir(), "email-api-tls-"));
  const files = newCertificate(folder);
  const options = { key: readFileSync(files.key), cert: readFileSync(files.cert) };
  const server = createServer(options, (caller) => {
    const engine = connect(Number(port), hostname);
    pipeline(caller, engine, caller, () => {}); // a function's process is killed, and its connections with it
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: files.cert,
    },
    stop: () => {
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
};

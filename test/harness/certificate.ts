/** A certificate of this machine, which no program trusts unless `NODE_EXTRA_CA_CERTS` names it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/**
 * Writes a key and a certificate for 127.0.0.1 into a folder.
 *
 * @returns the paths of the two files
 * @throws Error without `openssl`, which makes the certificate
 */
export const newCertificate = (folder: string): { key: string; cert: string } => {
  const files = { key: join(folder, "key.pem"), cert: join(folder, "certificate.pem") };
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const keyOf = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const into = ["-keyout", files.key, "-out", files.cert];
  execFileSync("openssl", ["req", "-x509", ...keyOf, ...subject, ...into], { stdio: "pipe" });
  return files;
};

/** What API Gateway answers itself, or does before the functions are asked. */
import { equal, match } from "node:assert/strict";
import { connect } from "node:tls";
import { noRoute } from "../../../lib/api/error-catalogue.ts";
import { type Group, skip } from "../checklist.ts";
import { expectError } from "../expect.ts";
import type { Service } from "../service.ts";

const megabyte = 1_000_000;

type Version = "TLSv1.1" | "TLSv1.2" | "TLSv1.3";

/** The version that was agreed on, or why none was. */
const negotiate = ({ hostname, port }: URL, version: Version): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT@SECLEVEL=0", // OpenSSL offers the old versions on no other level
    });
    socket.once("secureConnect", () => {
      resolve(socket.getProtocol() ?? "none");
      socket.destroy();
    });
    socket.once("error", ({ message }) => resolve(`refused: ${message}`));
  });

export const gatewayChecks = async ({ url, call, newKey, addMember }: Service): Promise<Group> => {
  const { secret } = await newKey();
  const secure = (): URL => {
    const address = new URL(url);
    if (address.protocol !== "https:") skip("this is HTTP; API Gateway speaks HTTPS only");
    return address;
  };
  return {
    name: "API Gateway",
    checks: [
      {
        promise: "An unknown route is a 404, with a bearer token",
        run: async () => expectError(await call("/v2/nothing", secret), noRoute),
      },
      {
        promise: "An unknown route is a 404, without one",
        run: async () => expectError(await call("/v2/nothing", null), noRoute),
      },
      {
        promise: "An unknown method is a 404",
        run: async () => {
          const path = "/v2/accounts/00000000-0000-4000-8000-000000000000/members";
          expectError(await call(path, secret, { method: "DELETE" }), noRoute);
        },
      },
      {
        promise: "A body over API Gateway's own 10 MB is a 413, in the API's shape",
        run: async () => {
          const { status, headers, body } = await addMember(secret, "x".repeat(11 * megabyte));
          equal(status, 413);
          equal(headers["content-type"], "application/json");
          match(JSON.parse(body.toString()).message, /64 KiB/);
        },
      },
      ...(["TLSv1.2", "TLSv1.3"] as const).map((version) => ({
        promise: `${version} is spoken`,
        run: async () => equal(await negotiate(secure(), version), version),
      })),
      {
        promise: "TLSv1.1 is refused",
        run: async () => match(await negotiate(secure(), "TLSv1.1"), /^refused/),
      },
    ],
  };
};

/** The reference page's script: Scalar, compressed once, with an address that changes when it does. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

type Reply = { header: () => Reply; send: (text: string) => void };
type PluginRoute = { url: string; handler: (request: object, reply: Reply) => void };

/**
 * The script is text within Scalar's plugin for Fastify, and reaches us through the route that the plugin adds for
 * it. The package that has it as a file brings 265 others with it.
 */
const readScript = async (): Promise<string> => {
  const { default: addRoutes } = await import("@scalar/fastify-api-reference");
  let script = "";
  const reply: Reply = {
    header: () => reply,
    send: (text) => {
      script = text;
    },
  };
  const route = ({ url, handler }: PluginRoute) => url.endsWith(".js") && handler({}, reply);
  addRoutes({ route }, { configuration: { url: "/openapi.json" } }, () => {});
  return script;
};

export type ReferenceScript = { path: string; plain: Buffer; gzipped: Buffer };

const load = async (): Promise<ReferenceScript> => {
  const plain = Buffer.from(await readScript());
  const digest = createHash("sha256").update(plain).digest("hex").slice(0, 16);
  return { path: `/reference.js?${digest}`, plain, gzipped: await promisify(gzip)(plain) };
};

let loading: Promise<ReferenceScript> | undefined;

/** Returns the script; it is read when it is first asked for, because that takes longer than all else that starts. */
export const referenceScript = (): Promise<ReferenceScript> => {
  loading ??= load();
  return loading;
};

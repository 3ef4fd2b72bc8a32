/**
 * Loads Scalar, the script of the reference page. Browsers can cache the script forever, because its URL contains a
 * hash of its content.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

type Reply = { header: () => Reply; send: (text: string) => void };
type PluginRoute = { url: string; handler: (request: object, reply: Reply) => void };

/** Scalar's Fastify plugin contains the script, and has 5 dependencies instead of the 27 of `@scalar/api-reference`. */
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

/** The script has 5 MB, and loading it at startup would delay `npm start`, so the first call loads it. */
export const referenceScript = (): Promise<ReferenceScript> => {
  loading ??= load();
  return loading;
};

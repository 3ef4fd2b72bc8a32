/**
 * Loads Scalar, the script of the reference page. Browsers can cache the script forever, because its URL contains a
 * hash of its content.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

type Reply = { header: () => Reply; send: (text: string) => void };
type PluginRoute = { url: string; handler: (request: object, reply: Reply) => void };

/** We take the script out of Scalar's Fastify plugin, because Scalar's other packages have far more dependencies. */
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

/** Only the first call reads it, because reading several megabytes at startup would delay `npm start`. */
export const referenceScript = (): Promise<ReferenceScript> => {
  loading ??= load();
  return loading;
};

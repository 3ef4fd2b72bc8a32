/** Bundles the page's modules when `npm start` serves it first, so that nobody has to build them. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const bundle = async (entry: string, define: Record<string, string> = {}): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`browser/${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    define,
  });
  return outputFiles[0]?.text ?? "";
};

/** @returns the page's HTML with its styles and script, and with `NONCE` and `"SHOWN"` to be filled in */
const load = async (): Promise<string> => {
  const read = (name: string) => readFile(new URL(name, import.meta.url), "utf8");
  const worker = await bundle("worker.ts");
  const script = await bundle("main.ts", { WORKER_SOURCE: JSON.stringify(worker) });
  const [html, css] = await Promise.all([read("desk.html"), read("desk.css")]);
  return html.replace("/* STYLE */", () => css).replace("/* SCRIPT */", () => script);
};

let loading: Promise<string> | undefined;

export const pageTemplate = (): Promise<string> => {
  loading ??= load();
  return loading;
};

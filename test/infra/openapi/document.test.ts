import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import type { openApiDocument } from "../../../infra/openapi/document.ts";
import { addAccountMember, getMessage, type Operation, operations } from "../../../lib/api/operations.ts";
import { run, startLocal } from "../../harness/process.ts";

test("npm run openapi prints a document in which the linter finds nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "openapi-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "openapi.json");

  const printed = await run(`npm run --silent openapi > ${file}`);
  const linted = await run(`redocly lint --config test/infra/openapi/redocly.yaml ${file}`, {
    variables: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });

  expect(printed).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(linted.stderr).toContain("Your API description is valid");
  expect(linted.stderr).not.toMatch(/warning/i);
  expect(linted.status).toBe(0);
});

test("No function's bundle has any of it", async () => {
  const { metafile } = await build({
    entryPoints: operations.map(({ file }) => file),
    outdir: "unused",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });

  const files = Object.keys(metafile.inputs);

  expect(files).toContain("lib/api/operations.ts");
  expect(files.filter((file) => file.includes("openapi"))).toEqual([]);
});

type Parameter = { name: string; in: string; example: string };
type Served = {
  parameters: Parameter[];
  requestBody?: { content: { "application/json": { example: object } } };
};

test("npm start serves it, with a request for each operation that answers 200 and 201 as it is", async () => {
  const { url, output } = await startLocal();
  const [authorization = ""] = /Bearer [\w-]+/.exec(output) ?? [];
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as ReturnType<typeof openApiDocument>;
  const send = async ({ path, method }: Operation) => {
    const served = document.paths[path]?.[method.toLowerCase()] as Served;
    const examples = new Map(served.parameters.map(({ name, example }) => [name, example]));
    const response = await fetch(url + path.replaceAll(/\{(\w+)\}/g, (_, name) => examples.get(name) ?? ""), {
      method,
      headers: { Authorization: authorization, "Content-Type": "application/json" },
      body: served.requestBody
        ? JSON.stringify(served.requestBody.content["application/json"].example)
        : null,
    });
    return response.status;
  };

  const statuses = [await send(getMessage), await send(addAccountMember)];

  expect(document.servers).toEqual([{ url }]);
  expect(statuses).toEqual([200, 201]);
});

test("npm start serves the page and its script, and says 404 of any other path", async () => {
  const { url } = await startLocal();

  const answers = await Promise.all(
    ["/", "/reference.js", "/reference"].map(async (path) => {
      const response = await fetch(url + path);
      await response.text();
      return [response.status, response.headers.get("content-type")];
    }),
  );

  expect(answers).toEqual([
    [200, "text/html; charset=utf-8"],
    [200, "text/javascript; charset=utf-8"],
    [404, "application/json"],
  ]);
});

import { validate } from "@scalar/openapi-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import type { openApiDocument } from "../../../infra/openapi/document.ts";
import { addAccountMember, getMessage, type Operation, operations } from "../../../lib/api/operations.ts";
import { run, startLocal } from "../../harness/process.ts";

type Named = { operationId: string; tags: string[]; security: Record<string, string[]>[] };

/** Each schema that has examples beside it, with each of them. */
function* examplesIn(node: unknown): Generator<{ schema: object; value: unknown }> {
  if (typeof node !== "object" || node === null) return;
  const { schema, example, examples } = node as { [field: string]: object | undefined };
  const named: { value?: unknown }[] = examples ? Object.values(examples) : [];
  const values = [...(example === undefined ? [] : [example]), ...named.map(({ value }) => value)];
  if (schema) yield* values.map((value) => ({ schema, value }));
  for (const child of Object.values(node)) yield* examplesIn(child);
}

describe("npm run openapi prints a document", () => {
  let document: ReturnType<typeof openApiDocument>;
  let operationObjects: Named[];
  beforeAll(async () => {
    const { stdout, stderr } = await run("npm run --silent openapi");
    expect(stderr).toBe("");
    document = JSON.parse(stdout);
    operationObjects = Object.values(document.paths).flatMap((path) => Object.values(path)) as Named[];
  });

  test("of the API at an address, and of none at what is no address", async () => {
    const { stdout } = await run("npm run --silent openapi -- https://api.example.com/prod");
    const refused = await run("npm run --silent openapi -- api");

    expect(JSON.parse(stdout)).toEqual({ ...document, servers: [{ url: "https://api.example.com/prod" }] });
    expect(refused).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(/not api\n$/) });
  });

  test("that is valid OpenAPI 3.1", async () => {
    expect(document.openapi).toBe("3.1.1");
    expect((await validate(document)).errors ?? []).toEqual([]);
  });

  test("in which everything that is named is declared, and used", () => {
    const referred = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+\/[^"]+)"/g)];
    const { headers, schemas, securitySchemes } = document.components;
    const declared = Object.entries({ headers, schemas }).flatMap(([kind, entries]) =>
      Object.keys(entries).map((name) => `${kind}/${name}`),
    );

    expect(new Set(referred.map(([, name]) => name))).toEqual(new Set(declared));
    expect(new Set(operationObjects.flatMap(({ tags }) => tags))).toEqual(
      new Set(document.tags.map(({ name }) => name)),
    );
    expect(new Set(operationObjects.flatMap(({ security }) => security.flatMap(Object.keys)))).toEqual(
      new Set(Object.keys(securitySchemes)),
    );
    expect(new Set(operationObjects.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  test("whose examples are what its schemas say", () => {
    const ajv = new Ajv2020({ strictTypes: false, validateFormats: false, keywords: ["components"] });
    ajv.addSchema({ $id: "api", components: { schemas: document.components.schemas } });
    const examples = [...examplesIn(document.paths)];

    const wrong = examples.filter(({ schema, value }) => {
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
      return !ajv.validate(absolute, value);
    });

    expect(examples.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });
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

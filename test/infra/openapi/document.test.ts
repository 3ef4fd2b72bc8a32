import { validate } from "@scalar/openapi-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { addAccountMemberTexts } from "../../../infra/openapi/add-account-member.ts";
import { documentOf, openApiDocument } from "../../../infra/openapi/document.ts";
import { getMessageTexts } from "../../../infra/openapi/get-message.ts";
import { messageNotFound } from "../../../lib/http/error-catalogue.ts";
import { addAccountMember, getMessage, type Operation, operations } from "../../../lib/http/operations.ts";
import { run } from "../../harness/process.ts";

const document = openApiDocument();

/** Every object in a JSON value, and the value itself. */
function* objectsIn(node: unknown): Generator<{ [field: string]: unknown }> {
  if (typeof node !== "object" || node === null) return;
  yield { ...node };
  for (const child of Object.values(node)) yield* objectsIn(child);
}

const examplesOf = ({ example, examples }: { [field: string]: unknown }): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value),
];

test("npm run openapi prints the document, for the API at a URL if there is one", async () => {
  const url = "https://api.example.com/prod";
  const commands = ["", `-- ${url}`, "-- api"].map((options) => run(`npm run --silent openapi ${options}`));
  const [local, deployed, rejected] = await Promise.all(commands);

  expect(JSON.parse(local?.stdout ?? "")).toEqual(JSON.parse(JSON.stringify(document)));
  expect(JSON.parse(deployed?.stdout ?? "").servers).toEqual([{ url }]);
  expect(rejected).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(/not api\n$/) });
});

test("The document is valid OpenAPI 3.1", async () => {
  expect(document.openapi).toBe("3.1.1");
  expect((await validate(JSON.parse(JSON.stringify(document)))).errors ?? []).toEqual([]);
});

test("The document uses exactly the components and tags that it declares", () => {
  const used = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+\/[^"]+)"/g)];
  const { headers, schemas, securitySchemes } = document.components;
  const declared = Object.entries({ headers, schemas }).flatMap(([kind, entries]) =>
    Object.keys(entries).map((name) => `${kind}/${name}`),
  );
  const objects = Object.values(document.paths).flatMap((path) => Object.values(path));

  expect(new Set(used.map(([, name]) => name))).toEqual(new Set(declared));
  const tagNames = document.tags.map(({ name }) => name);
  expect(new Set(objects.flatMap(({ tags }) => tags))).toEqual(new Set(tagNames));
  const usedSchemes = objects.flatMap(({ security }) => security.flatMap(Object.keys));
  expect(new Set(usedSchemes)).toEqual(new Set(Object.keys(securitySchemes)));
  expect(objects.map(({ operationId }) => operationId).sort()).toEqual(operations.map(({ id }) => id).sort());
});

test("Every example matches its schema", () => {
  const ajv = new Ajv2020({ strictTypes: false, validateFormats: false, keywords: ["components"] });
  ajv.addSchema({ $id: "api", components: { schemas: document.components.schemas } });
  const examples = [...objectsIn(document.paths)].flatMap((node) =>
    node.schema ? examplesOf(node).map((value) => ({ schema: node.schema, value })) : [],
  );

  const wrong = examples.filter(({ schema, value }) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
    return !ajv.validate(absolute, value);
  });

  expect(examples.length).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

test("Every response, parameter and field has a description", () => {
  const described = [...objectsIn(document)].filter(({ description }) => typeof description === "string");

  expect(described.length).toBeGreaterThan(50);
  expect(described.filter(({ description }) => description === "")).toEqual([]);
});

test("Every schema with a constant names its type, which generators of clients need, and no header has one", () => {
  const constants = [...objectsIn(document)].filter((node) => node.const !== undefined);
  const headers = [...objectsIn(document)].flatMap(({ headers }) => [...objectsIn(headers)]);

  expect(constants).toEqual([expect.objectContaining({ type: "string", const: "message" })]);
  expect(headers.length).toBeGreaterThan(20);
  expect(headers.filter((node) => node.const !== undefined || node.enum !== undefined)).toEqual([]);
});

test("No schema has a name that a generator uses for a class of its own, or a language for one of its types", () => {
  const ofGenerators =
    /^(I?api)?(error|exception|client|configuration|response|request|result|model|options?|key|info)$/i;
  const ofLanguages =
    /^(any|array|base|class|date|file|json|list|map|module|none|object|pair|set|string|type|version)$/i;
  const names = Object.keys(document.components.schemas);

  expect(["ApiError", "ApiClient", "Model"].every((name) => ofGenerators.test(name))).toBe(true);
  expect(names.filter((name) => ofGenerators.test(name) || ofLanguages.test(name))).toEqual([]);
});

test("An empty list of fields is wrong in the document, as in the service", () => {
  const parameters = document.paths[getMessage.path]?.get?.parameters ?? [];

  expect(parameters).toContainEqual(
    expect.objectContaining({ name: "fields", schema: expect.objectContaining({ minItems: 1 }) }),
  );
});

test("The Idempotency-Key has no example, so no client sends a key that was used before", () => {
  const parameters = [...objectsIn(document)].filter(({ name }) => name === "Idempotency-Key");

  expect(parameters).not.toHaveLength(0);
  expect(parameters.filter(({ example }) => example !== undefined)).toEqual([]);
});

test("Operations on one path are all in the document, and one without content has no body", () => {
  const { path } = addAccountMember;
  const remove: Operation = { ...getMessage, method: "DELETE", path, status: 204 };
  const read: Operation = { ...getMessage, path };
  const entries = [
    { operation: remove, texts: { ...getMessageTexts, success: { description: "It is gone." } } },
    { operation: read, texts: getMessageTexts },
  ];

  const { paths } = documentOf(entries, {});

  expect(Object.keys(paths[path] ?? {})).toEqual(["delete", "get"]);
  expect(paths[path]?.delete).not.toHaveProperty("requestBody");
  expect(paths[path]?.delete?.responses[204]).not.toHaveProperty("content");
});

test("An operation whose texts lack the schema of its body is an error", () => {
  const texts = { ...addAccountMemberTexts, components: {} };

  expect(() => documentOf([{ operation: addAccountMember, texts }], {})).toThrow("lacks the schema of a body");
});

test("No function loads the document", async () => {
  const entryPoints = operations.map(({ file }) => file);
  const options = { outdir: "unused", bundle: true, write: false, metafile: true, platform: "node" } as const;
  const { metafile } = await build({ ...options, entryPoints, logLevel: "silent" });

  expect(Object.keys(metafile.inputs).filter((file) => file.startsWith("infra/"))).toEqual([]);
});

test("A second idempotent operation has its own example key, and its 404 and 409 may be replays", () => {
  const texts = {
    ...addAccountMemberTexts,
    errors: { "No such member": messageNotFound, ...addAccountMemberTexts.errors },
  };
  const change: Operation = { ...addAccountMember, id: "GetMessage", method: "PATCH" };
  const entries = [
    { operation: addAccountMember, texts },
    { operation: change, texts },
  ];

  const { paths } = documentOf(entries, { parameters: { "Idempotency-Key": "1" } });

  const { post, patch } = paths[addAccountMember.path] ?? {};
  const keys = [post, patch].map((object) => JSON.stringify(object?.parameters.at(-1)));
  expect(keys).toEqual([expect.stringContaining('"AddAccountMember-1"'), expect.stringContaining('"GetMessage-1"')]);
  const replayed = [200, 201, 404, 409, 422].filter(
    (status) => "Idempotent-Replayed" in (patch?.responses[status]?.headers ?? {}),
  );
  expect(replayed).toEqual([201, 404, 409]);
});

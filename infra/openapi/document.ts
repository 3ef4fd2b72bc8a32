/** The OpenAPI document, built from the table of operations. No function loads it. */
import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { type Operation, type OperationId, operations } from "../../lib/http/operations.ts";
import { addAccountMemberTexts } from "./add-account-member.ts";
import { type Component, component, componentSchemas, nameOf } from "./components.ts";
import { getMessageTexts } from "./get-message.ts";
import { type ExampleValues, type OperationObject, operationObject } from "./operation-object.ts";
import { commonHeaders } from "./outcomes.ts";
import { type OperationTexts, tags } from "./texts.ts";

const textsOf: Record<OperationId, OperationTexts> = {
  GetMessage: getMessageTexts,
  AddAccountMember: addAccountMemberTexts,
};

type Entry = { operation: Operation; texts: OperationTexts };

const entries: readonly Entry[] = operations.map((operation) => ({
  operation,
  texts: textsOf[operation.id],
}));

const ErrorBody = component(z.object({ message: z.string() }), "The body of every error.", {
  message: "One sentence that states what is wrong. For wrong input, it names the field and what the field accepts.",
});

const componentsOf = (entries: readonly Entry[]): Record<string, Component> =>
  Object.assign({ ErrorBody }, ...entries.map(({ texts }) => texts.components));

export const completeSchemas = componentSchemas(componentsOf(entries));

export const documentOf = (entries: readonly Entry[], examples: ExampleValues) => {
  const components = componentsOf(entries);
  const schemas = componentSchemas(components);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { operation, texts } of entries) {
    const { method, path, queryParameters } = operation;
    const object = operationObject(operation, texts, components, examples);
    paths[path] = { ...paths[path], [method.toLowerCase()]: object };
    // In this schema, no field is required, because a caller can leave out any field with the parameter `fields`.
    const { schema } = texts.success;
    if (schema && "fields" in queryParameters) delete schemas[nameOf(schema, components)]?.required;
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Email API",
      version: "2",
      description: readFileSync(new URL("introduction.md", import.meta.url), "utf8"),
      contact: { name: "The team that runs this API" },
    },
    servers: [{ url: examples.serverUrl ?? "http://127.0.0.1:3000" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key of the account, sent as `Authorization: Bearer <API key>`.",
        },
      },
      headers: commonHeaders,
      schemas,
    },
  };
};

export const openApiDocument = (examples: ExampleValues = {}) => documentOf(entries, examples);

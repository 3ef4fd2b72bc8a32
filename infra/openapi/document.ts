/** Builds the OpenAPI document from the table of operations. No Lambda function loads this file. */
import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { type Operation, type OperationId, operations } from "../../lib/api/operations.ts";
import { addAccountMemberTexts } from "./add-account-member.ts";
import { type Component, component, componentSchemas } from "./components.ts";
import { getMessageTexts } from "./get-message.ts";

import { type OperationObject, operationObject, type Sample } from "./operation-object.ts";
import { commonHeaders } from "./responses.ts";
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

const ApiError = component(z.object({ message: z.string() }), "The body of every error.", {
  message:
    "One sentence that states what is wrong. For wrong input, the sentence names the field and what the field accepts.",
});

const componentsOf = (entries: readonly Entry[]): Record<string, Component> =>
  Object.assign({ ApiError }, ...entries.map(({ texts }) => texts.components));

/** The schemas of complete responses. All fields are required, although the parameter `fields` can omit fields. */
export const completeSchemas = componentSchemas(componentsOf(entries));

/** Removes `required` if the parameter `fields` can omit fields, so that clients accept partial responses. */
const schemasOf = (entries: readonly Entry[]) => {
  const schemas = componentSchemas(componentsOf(entries));
  for (const { queryParameters, response } of entries.map(({ operation }) => operation)) {
    if ("fields" in queryParameters) delete schemas[response.schema ?? ""]?.required;
  }
  return schemas;
};

const pathsOf = (entries: readonly Entry[], sample: Sample) => {
  const components = componentsOf(entries);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { operation, texts } of entries) {
    const method = operation.method.toLowerCase();
    const object = operationObject(operation, texts, components, sample);
    paths[operation.path] = { ...paths[operation.path], [method]: object };
  }
  return paths;
};

/** Builds the OpenAPI document of the given operations. */
export const documentOf = (entries: readonly Entry[], sample: Sample) => ({
  openapi: "3.1.1",
  info: {
    title: "Email API",
    version: "2",
    description: readFileSync(new URL("introduction.md", import.meta.url), "utf8"),
    contact: { name: "The team that runs this API" },
  },
  servers: [{ url: sample.serverUrl ?? "http://127.0.0.1:3000" }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: pathsOf(entries, sample),
  components: {
    securitySchemes: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description: "An API key of the account, sent as `Authorization: Bearer <API key>`.",
      },
    },
    headers: commonHeaders,
    schemas: schemasOf(entries),
  },
});

/** Returns the OpenAPI document of all operations. */
export const openApiDocument = (sample: Sample = {}) => documentOf(entries, sample);

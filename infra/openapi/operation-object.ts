/** One operation of the document, built from its entry in the table of operations and its texts. */
import type * as z from "zod/mini";
import type { Operation, OperationId } from "../../lib/api/operations.ts";
import type { Parameter } from "../../lib/api/parameters.ts";
import { type Component, parameterSchema, schemaRef } from "./components.ts";
import { responsesOf } from "./responses.ts";
import type { OperationTexts } from "./texts.ts";

/** Examples that replace those of the document, so that a reader can send the requests unchanged. */
export type Sample = {
  /** The address of the API. The default is the address of `npm start`. */
  serverUrl?: string;
  /** Values of parameters, by name. Only here the Idempotency-Key has an example: a fixed key would soon be used. */
  parameters?: Readonly<Record<string, string>>;
  /** Request bodies, by operation. */
  bodies?: Partial<Record<OperationId, unknown>>;
};

const toParameterObject = (
  place: "path" | "query",
  [name, { schema, description, example }]: [string, Parameter<unknown>],
  { parameters: given = {} }: Sample,
) => {
  const jsonSchema = parameterSchema(schema);
  const isList = jsonSchema.type === "array";
  const text = given[name] ?? example;
  return {
    name,
    in: place,
    required: !schema.safeParse(undefined).success,
    description,
    ...(isList && { style: "form", explode: false }),
    schema: jsonSchema,
    example: isList ? text.split(",") : text,
  };
};

const idempotencyKey = ({ parameters: given = {} }: Sample) => ({
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes retries safe: requests with the same key and the same content run once. Use a new key, such as a random UUID, " +
    "for each new request.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  ...("Idempotency-Key" in given && { example: given["Idempotency-Key"] }),
});

const nameOf = (schema: z.ZodMiniType, components: Record<string, Component>): string => {
  const name = Object.keys(components).find((name) => components[name]?.schema === schema);
  if (name === undefined)
    throw new Error("The body of an operation has no component in the operation's texts");
  return name;
};

export type OperationObject = ReturnType<typeof operationObject>;

export const operationObject = (
  operation: Operation,
  texts: OperationTexts,
  components: Record<string, Component>,
  sample: Sample,
) => {
  const { id, scope, body, idempotent, pathParameters, queryParameters } = operation;
  const { tag, summary, description } = texts;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [{ apiKey: [scope] }],
    parameters: [
      ...Object.entries<Parameter<unknown>>(pathParameters).map((entry) =>
        toParameterObject("path", entry, sample),
      ),
      ...Object.entries<Parameter<unknown>>(queryParameters).map((entry) =>
        toParameterObject("query", entry, sample),
      ),
      ...(idempotent ? [idempotencyKey(sample)] : []),
    ],
    ...(body && {
      requestBody: {
        description: "At most 64 KiB.",
        required: true,
        content: {
          "application/json": {
            schema: schemaRef(nameOf(body, components)),
            example: sample.bodies?.[id] ?? texts.body,
          },
        },
      },
    }),
    responses: responsesOf(operation, texts),
  };
};

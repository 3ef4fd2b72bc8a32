/** One operation of the document, built from its entry in the table of operations and its texts. */
import type * as z from "zod/mini";
import type { Operation, OperationId } from "../../lib/api/operations.ts";
import type { Parameter, ParametersFor } from "../../lib/api/parameters.ts";
import { type Component, parameterSchema, schemaRef } from "./components.ts";
import { responsesOf } from "./responses.ts";
import type { OperationTexts } from "./texts.ts";

/** Values for a service that a reader can call. They replace the examples, so that each request succeeds unchanged. */
export type Sample = {
  /** The address of the API. The default is the address of `npm start`. */
  serverUrl?: string;
  /** Values of parameters by name. The Idempotency-Key has no other example, because a fixed key would soon be used. */
  parameters?: Readonly<Record<string, string>>;
  bodies?: Partial<Record<OperationId, unknown>>;
};

/** An optional parameter has its example only in the text, because the reference page sends every example. */
const parametersOf = (place: "path" | "query", parameters: ParametersFor<unknown>, sample: Sample) =>
  Object.entries<Parameter<unknown>>(parameters).map(([name, { schema, description, example }]) => {
    const jsonSchema = parameterSchema(schema);
    const required = !schema.safeParse(undefined).success;
    return {
      name,
      in: place,
      required,
      description: required ? description : `${description} For example, \`${example}\`.`,
      ...(jsonSchema.type === "array" && { style: "form", explode: false }),
      schema: jsonSchema,
      ...(required && { example: sample.parameters?.[name] ?? example }),
    };
  });

const idempotencyKey = ({ parameters = {} }: Sample) => ({
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes retries safe, because requests with the same key and content run once. Use a new key for each new request, " +
    "such as a random UUID.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  ...("Idempotency-Key" in parameters && { example: parameters["Idempotency-Key"] }),
});

const refTo = (schema: z.ZodMiniType, components: Record<string, Component>) => {
  const name = Object.keys(components).find((name) => components[name]?.schema === schema);
  if (name === undefined) throw new Error("No operation's texts describe the schema of a request body");
  return schemaRef(name);
};

export type OperationObject = ReturnType<typeof operationObject>;

export const operationObject = (
  operation: Operation,
  texts: OperationTexts,
  components: Record<string, Component>,
  sample: Sample,
) => {
  const { id, scope, body, idempotent, pathParameters, queryParameters } = operation;
  const example = sample.bodies?.[id] ?? texts.body;
  return {
    operationId: id,
    tags: [texts.tag],
    summary: texts.summary,
    description: texts.description,
    security: [{ apiKey: [scope] }],
    parameters: [
      ...parametersOf("path", pathParameters, sample),
      ...parametersOf("query", queryParameters, sample),
      ...(idempotent ? [idempotencyKey(sample)] : []),
    ],
    ...(body && {
      requestBody: {
        description: "At most 64 KiB.",
        required: true,
        content: { "application/json": { schema: refTo(body, components), example } },
      },
    }),
    responses: responsesOf(operation, texts),
  };
};

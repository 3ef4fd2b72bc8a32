/** Turns an operation and its descriptions into an OpenAPI operation object. */
import type { Operation, OperationId } from "../../lib/http/operations.ts";
import type { Parameter, ParametersFor } from "../../lib/http/parameters.ts";
import { type Component, nameOf, parameterSchema, schemaRef } from "./components.ts";
import { responsesOf } from "./outcomes.ts";
import type { OperationTexts } from "./texts.ts";

/**
 * Values for the reference page's examples, such as the ids of stored items, so that the examples work in `npm start`.
 */
export type ExampleValues = {
  /** The API's address, by default that of `npm start`. */
  serverUrl?: string;
  /** Example values by parameter. The Idempotency-Key has no default, because a fixed key would work only once. */
  parameters?: Readonly<Record<string, string>>;
  bodies?: Partial<Record<OperationId, unknown>>;
};

/** An optional parameter gets no `example`, because the reference page would send the example with every request. */
const parametersOf = (place: "path" | "query", parameters: ParametersFor<unknown>, examples: ExampleValues) =>
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
      ...(required && { example: examples.parameters?.[name] ?? example }),
    };
  });

/** If two operations had the same example, the second request of a visitor would get a 422. */
const idempotencyKey = (id: OperationId, { parameters = {} }: ExampleValues) => ({
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes retries safe, because requests with the same key and content run once. Use a new key for each new request, " +
    "such as a random UUID.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  ...("Idempotency-Key" in parameters && { example: `${id}-${parameters["Idempotency-Key"]}` }),
});

export type OperationObject = ReturnType<typeof operationObject>;

export const operationObject = (
  operation: Operation,
  texts: OperationTexts,
  components: Record<string, Component>,
  examples: ExampleValues,
) => {
  const { id, scope, body, idempotent, pathParameters, queryParameters } = operation;
  const example = examples.bodies?.[id] ?? texts.body;
  return {
    operationId: id,
    tags: [texts.tag],
    summary: texts.summary,
    description: texts.description,
    security: [{ apiKey: [scope] }],
    parameters: [
      ...parametersOf("path", pathParameters, examples),
      ...parametersOf("query", queryParameters, examples),
      ...(idempotent ? [idempotencyKey(id, examples)] : []),
    ],
    ...(body && {
      requestBody: {
        description: "At most 64 KiB.",
        required: true,
        content: { "application/json": { schema: schemaRef(nameOf(body, components)), example } },
      },
    }),
    responses: responsesOf(operation, texts, components),
  };
};

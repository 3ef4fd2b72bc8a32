/** Converts zod schemas to JSON Schema, and adds a description to each field. */
import * as z from "zod/mini";

export type JsonSchema = { [keyword: string]: unknown };

/** What we add to the JSON Schema that zod makes for a field: a description, and keywords such as `format`. */
type Field = string | (JsonSchema & { description: string });

export type Component = {
  schema: z.ZodMiniType;
  description: string;
  fields: Readonly<Record<string, Field>>;
};

/** A field without a description causes a compile error. */
export const component = <Schema extends z.ZodMiniObject>(
  schema: Schema,
  description: string,
  fields: { [Name in keyof Schema["_zod"]["def"]["shape"]]: Field },
): Component => ({ schema, description, fields });

const simplify = (jsonSchema: JsonSchema): void => {
  const [value, none, ...others] = (jsonSchema.anyOf ?? []) as JsonSchema[];
  if (typeof value?.type === "string" && none?.type === "null" && others.length === 0) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, value, { type: [value.type, "null"] });
  }
  delete jsonSchema.pattern; // JSON Schema has no regex flags, so our patterns would mean something else there.
  delete jsonSchema.propertyNames;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Options for converting zod schemas to JSON Schema, for the OpenAPI document and for events. */
export const conversion: z.core.ToJSONSchemaParams = {
  override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema),
  unrepresentable: ({ zodSchema }) =>
    zodSchema._zod.def.type === "bigint" ? { type: "integer", format: "int64" } : "throw",
};

export const describeProperties = (properties: unknown, fields: Component["fields"]): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
      const field = fields[name];
      return [name, { ...schema, ...(typeof field === "string" ? { description: field } : field) }];
    }),
  );

export const nameOf = (schema: z.ZodMiniType, components: Readonly<Record<string, Component>>): string => {
  const name = Object.keys(components).find((name) => components[name]?.schema === schema);
  if (name === undefined) throw new Error("`components` of an operation's texts lacks the schema of a body");
  return name;
};

export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** In OpenAPI, components refer to each other with `$ref`. */
export const componentSchemas = (components: Readonly<Record<string, Component>>) => {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(components)) registry.add(schema, { id });
  const uri = (id: string) => schemaRef(id).$ref;
  const { schemas } = z.toJSONSchema(registry, { ...conversion, io: "input", uri });
  return Object.fromEntries(
    Object.entries(components).map(([name, { description, fields }]): [string, JsonSchema] => {
      const { $schema, $id, properties, ...schema } = schemas[name] ?? {};
      const described = properties && { properties: describeProperties(properties, fields) };
      return [name, { ...schema, description, ...described }];
    }),
  );
};

/** Describes the parameter's value once it's parsed: `fields=id,subject` is an array. */
export const parameterSchema = (schema: z.ZodMiniType): JsonSchema => {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema, { ...conversion, io: "output" });
  return jsonSchema;
};

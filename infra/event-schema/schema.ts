/** The events as JSON Schema, built from what validates them: for the programs that send them. */
import * as z from "zod/mini";
import { MessageEvent } from "../../lib/intake/event.ts";
import { componentSchemas } from "../openapi/schemas.ts";

type JsonSchema = { [keyword: string]: unknown };

/** What the API says of a message's fields, it says of them here. */
const fields = componentSchemas().Message?.properties ?? {};

const describe = (properties: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { description: fields[name]?.description, ...schema },
    ]),
  );

const annotate = ({ jsonSchema, path }: { jsonSchema: JsonSchema; path: (string | number)[] }): void => {
  delete jsonSchema.pattern; // a regular expression without its flags, and so a wrong one where it has some
  if (path.at(-1) === "message") {
    jsonSchema.properties = describe(jsonSchema.properties as Record<string, JsonSchema>);
  }
};

/** JSON Schema 2020-12 of one event. */
export const eventSchema = () => ({
  title: "Message event",
  description: "What a sending pipeline tells of its messages. Fields that are not listed are ignored.",
  ...z.toJSONSchema(MessageEvent, {
    io: "input",
    reused: "inline",
    override: annotate,
    unrepresentable: ({ zodSchema }) =>
      zodSchema._zod.def.type === "bigint" ? { type: "integer", format: "int64" } : "throw",
  }),
});

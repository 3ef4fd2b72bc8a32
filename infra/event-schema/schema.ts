/** The JSON Schema of the events, for programs that send events. It is built from the schema that validates events. */
import * as z from "zod/mini";
import { MessageEvent } from "../../lib/intake/event.ts";
import { describeProperties, isInt64, type JsonSchema } from "../openapi/components.ts";
import { messageComponents } from "../openapi/message-components.ts";
import { commonFields, descriptions } from "./descriptions.ts";

const describeEvent = ({ properties, ...event }: JsonSchema): JsonSchema => {
  const { type, message, ...others } = properties as Record<string, JsonSchema>;
  const texts = descriptions[type?.const as MessageEvent["type"]];
  const messageProperties = describeProperties(message?.properties, messageComponents.Message.fields);
  return {
    ...event,
    description: texts.event,
    properties: describeProperties(
      { type, ...others, message: { ...message, properties: messageProperties } },
      { ...commonFields, ...texts.fields },
    ),
  };
};

/** Returns the JSON Schema (2020-12) of one event. */
export const eventSchema = () => {
  const { oneOf = [], ...schema } = z.toJSONSchema(MessageEvent, {
    io: "input",
    reused: "inline",
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern; // JSON Schema has no flags, so the patterns of the code would be wrong there.
    },
    unrepresentable: isInt64,
  });
  return {
    title: "Message event",
    description: "An event of a sending pipeline about one of its messages. Other fields are ignored.",
    ...schema,
    oneOf: oneOf.map(describeEvent),
  };
};

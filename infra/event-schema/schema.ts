/** Writes the schema of an event as JSON Schema (2020-12), for programs that send events. */
import * as z from "zod/mini";
import { type MessageEvent, NewEvent } from "../../lib/events/event.ts";
import { conversion, describeProperties, type JsonSchema } from "../openapi/components.ts";
import { messageComponents } from "../openapi/message-components.ts";
import { commonFields, descriptions, messageFields } from "./descriptions.ts";

const describeEvent = ({ properties, ...event }: JsonSchema): JsonSchema => {
  const { message, ...fields } = properties as Record<string, JsonSchema>;
  const texts = descriptions[fields.type?.const as MessageEvent["type"]];
  const described = {
    ...message,
    properties: describeProperties(message?.properties, { ...messageComponents.Message.fields, ...messageFields }),
  };
  const all = describeProperties({ ...fields, message: described }, { ...commonFields, ...texts.fields });
  return { ...event, description: texts.event, properties: all };
};

export const eventSchema = () => {
  const { oneOf = [], ...schema } = z.toJSONSchema(NewEvent, {
    ...conversion,
    io: "input",
    reused: "inline",
  });
  return {
    title: "Message event",
    description: "An event of a sending pipeline about one of its messages. Other fields are ignored.",
    ...schema,
    oneOf: oneOf.map(describeEvent),
  };
};

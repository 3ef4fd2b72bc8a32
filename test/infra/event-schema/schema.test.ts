import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { eventSchema } from "../../../infra/event-schema/schema.ts";
import { type MessageEvent, parseEvent } from "../../../lib/intake/event.ts";
import { run } from "../../harness/process.ts";

const isDateTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
const formats = {
  "date-time": isDateTime,
  uuid: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
  email: /@/,
};
const schema = eventSchema();
const matches = new Ajv2020({ allErrors: true, formats: { ...formats, int64: true } }).compile(schema);

const readme = readFileSync(new URL("../../../infra/README.md", import.meta.url), "utf8");
const [, examples = ""] = /```jsonl\n(.*?)```/s.exec(readme) ?? [];
const events = examples
  .trim()
  .split("\n")
  .map((line) => [line, JSON.parse(line)] as const);

test("npm run event-schema prints JSON Schema 2020-12", async () => {
  const { stdout } = await run("npm run -s event-schema");

  expect(JSON.parse(stdout)).toEqual(schema);
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
});

test("The README has an example of each event, which the schema and the code take", () => {
  expect(events.map(([, { type }]) => type)).toEqual([
    "message.stored",
    "message.status",
    "message.delivery_attempt",
    "message.opened",
    "message.clicked",
  ] satisfies MessageEvent["type"][]);
  expect(events.filter(([, event]) => !matches(event))).toEqual([]);
  expect(events.map(([line]) => parseEvent(line).id)).toEqual(events.map(([, { id }]) => id));
});

test.each(events)("The schema and the code ask for the same fields of %s", (_, event) => {
  const without = Object.keys(event).map((field) => ({ ...event, [field]: undefined }));

  const refused = (event: object): boolean => {
    try {
      parseEvent(JSON.stringify(event));
      return false;
    } catch {
      return true;
    }
  };

  expect(without.map((event) => matches(JSON.parse(JSON.stringify(event))))).toEqual(
    without.map((event) => !refused(event)),
  );
});

test("Every field has a description", () => {
  const properties = schema.oneOf?.flatMap((kind) => Object.entries(kind.properties ?? {})) ?? [];
  const silent = properties.filter(
    ([name, field]) => name !== "type" && typeof field === "object" && !field.description,
  );

  expect(properties.length).toBeGreaterThan(20);
  expect(silent).toEqual([]);
});

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { descriptions } from "../../../infra/event-schema/descriptions.ts";
import { eventSchema } from "../../../infra/event-schema/schema.ts";
import { parseEvent } from "../../../lib/events/event.ts";
import { run } from "../../harness/process.ts";

const formats = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  uuid: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
  "idn-email": /@/,
  int64: { type: "number", validate: (value: number) => Math.abs(value) <= 2 ** 63 },
} as const;
const schema = eventSchema();
const printable = JSON.parse(JSON.stringify(schema));
const matches = new Ajv2020({ allErrors: true, formats }).compile(schema);

const accepts = (json: string): boolean => {
  try {
    parseEvent(json);
    return true;
  } catch {
    return false;
  }
};

const readme = readFileSync(new URL("../../../infra/README.md", import.meta.url), "utf8");
const [, examples = ""] = /```jsonl\n(.*?)```/s.exec(readme) ?? [];
const events = examples
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

test("npm run event-schema prints JSON Schema 2020-12", async () => {
  const { stdout } = await run("npm run -s event-schema");

  expect(JSON.parse(stdout)).toEqual(printable);
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
});

test("The README has an example of each event, which the schema and the code accept", () => {
  const types = events.map(({ type }) => type);

  expect(types.sort()).toEqual(Object.keys(descriptions).sort());
  expect(events.map((event) => matches(event))).toEqual(events.map(() => true));
  expect(events.map((event) => accepts(JSON.stringify(event)))).toEqual(events.map(() => true));
});

test.each(events)("The schema and the code require the same fields of $type", (event) => {
  const shortened = Object.keys(event).map((field) => JSON.stringify({ ...event, [field]: undefined }));

  expect(shortened.map((json) => matches(JSON.parse(json)))).toEqual(shortened.map(accepts));
});

test.each('1|1.0|1e3|-12.50e1|9007199254740993|1.5|1e-1|1e19|null|"1"'.split("|"))(
  "The schema and the code agree whether %s is a reference_message_id",
  (number) => {
    const [stored] = events;
    const json = JSON.stringify({ ...stored, message: { ...stored.message, reference_message_id: 0 } });
    const event = json.replace('"reference_message_id":0', `"reference_message_id":${number}`);

    expect(matches(JSON.parse(event))).toBe(accepts(event));
  },
);

test.each(["2026-11-20t12:00:00z", "2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5+01:00", "2026-11-20T12:00:00"])(
  "The schema and the code agree whether %s is a time",
  (time) => {
    const event = { ...events.find(({ type }) => type === "message.status"), time };

    expect(matches(event)).toBe(accepts(JSON.stringify(event)));
  },
);

test.each(events)("The schema and the code agree about null in each field of $type", (event) => {
  const all: [string, object][] = [event, event.message].flatMap((part, index) =>
    Object.keys({ ...part, external_id: 0, tags: 0, sent_at: 0, bounce_classification: 0 }).map(
      (name): [string, object] => [
        name,
        index === 0 ? { ...event, [name]: null } : { ...event, message: { ...event.message, [name]: null } },
      ],
    ),
  );

  expect(all.map(([name, one]) => [name, matches(one)])).toEqual(
    all.map(([name, one]) => [name, accepts(JSON.stringify(one))]),
  );
});

test("Every event and every field has a description", () => {
  const events: { description?: string; properties: { message: { properties: object } } }[] = printable.oneOf;
  const fields = events.flatMap(({ properties }) =>
    [properties, properties.message.properties].flatMap((all) => Object.entries(all)),
  );

  expect(fields.length).toBeGreaterThan(40);
  expect(fields.filter(([name, { description }]) => name !== "type" && !description)).toEqual([]);
  expect(events.filter(({ description }) => !description)).toEqual([]);
});

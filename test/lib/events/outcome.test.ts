import { expect, test, vi } from "vitest";
import { reserveTime, TooLittleTimeError } from "../../../lib/events/outcome.ts";
import { table } from "../../harness/service.ts";

test.each([
  [0, 1000],
  [8_000_000, 11_000],
])("An event with an email of %i bytes needs more than %i ms", (bytes, milliseconds) => {
  vi.spyOn(process, "uptime").mockReturnValue(100);
  const left = (ms: number) => ({ ...table, deadline: 100_000 + ms });

  expect(() => reserveTime(left(milliseconds), bytes)).toThrow(TooLittleTimeError);
  expect(() => reserveTime(left(milliseconds + 1), bytes)).not.toThrow();
  expect(() => reserveTime(table, bytes)).not.toThrow();
});

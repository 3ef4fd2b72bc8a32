import { expect, test } from "vitest";
import { toMilliseconds, toNanoseconds } from "../../../lib/time/timestamp.ts";

test.each([
  ["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000000000Z"],
  ["2026-11-20T13:00:07.0009+01:00", "2026-11-20T12:00:07.000900000Z"],
  ["2026-11-20T12:00:07.123456789987Z", "2026-11-20T12:00:07.123456789Z"],
  ["2026-12-31T23:59:59.9999999-00:01", "2027-01-01T00:00:59.999999900Z"],
  ["9999-12-31T23:59:59.999-01:00", null],
  ["0000-01-01T00:00:00+00:01", null],
])("%s is %s", (time, expected) => {
  expect(toNanoseconds(time)).toBe(expected);
});

test("A response has milliseconds, and doesn't round up", () => {
  expect(toMilliseconds("2026-11-20T12:00:07.999999999Z")).toBe("2026-11-20T12:00:07.999Z");
});

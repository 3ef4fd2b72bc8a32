/** What the values of options may be: the limits, and a step beyond them. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import { days, duration, uuid } from "../../../infra/admin/command.ts";

test.each([
  ["1m", 60],
  ["30m", 1800],
  ["12h", 43_200],
  ["90d", 7_776_000],
  ["999999m", 59_999_940],
])("A time of %s is %i seconds", (value, seconds) => {
  expect(duration(value)).toBe(seconds);
});

test.each(["", "0d", "01d", "-1d", "1.5h", "30", "d", "30s", "30D", " 30d", "30d ", "30days", "x30d", "1000000m"])(
  "'%s' is no time",
  (value) => {
    expect(() => duration(value)).toThrow(InvalidArgumentError);
  },
);

test("A number of days is whole, and from 1 to 36500", () => {
  expect(["1", "36500"].map(days)).toEqual([1, 36_500]);
  for (const value of ["", "0", "-1", "1.5", "36501", "ten"]) expect(() => days(value)).toThrow(InvalidArgumentError);
});

test("A UUID may be in upper case, and is read in lower case", () => {
  expect(uuid("A1B2C3D4-0000-4000-8000-00000000000F")).toBe("a1b2c3d4-0000-4000-8000-00000000000f");
  expect(() => uuid("a1b2c3d4")).toThrow(InvalidArgumentError);
});

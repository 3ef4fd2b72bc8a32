import { expect, test, vi } from "vitest";
import {
  clockTime,
  dayHeading,
  durationText,
  fromNow,
  fullTime,
  shortTime,
  sizeText,
  zoneOffset,
} from "../../../infra/page/browser/times.ts";
import { ago, now } from "./desk-message.ts";

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const day = 24 * hour;

test.each([
  [400, "0 s"],
  [second, "1 s"],
  [20 * second, "20 s"],
  [minute, "1 min"],
  [84 * minute, "84 min"],
  [2 * hour, "2 h"],
  [110 * minute, "2 h"],
  [35 * hour, "35 h"],
  [2 * day, "2 days"],
  [30 * day, "30 days"],
])("%d ms are said in the largest unit of which there are two: %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("A deletion is in the future or in the past", () => {
  expect([ago(-30 * 24 * 60), ago(0), ago(22 * 60)].map((time) => fromNow(time, now))).toEqual([
    "in 30 days",
    "in 0 s",
    "22 h ago",
  ]);
});

test("A time has its year only if that isn't this one, and midnight is 00", () => {
  expect(shortTime("2026-11-24T00:48:00.000Z", now)).toMatch(/24.*00:48/);
  expect(shortTime("2026-11-24T00:48:00.000Z", now)).not.toContain("2026");
  expect(shortTime("2025-11-24T00:48:00.000Z", now)).toMatch(/24.*2025.*00:48/);
  expect(clockTime("2026-11-24T00:48:00.000Z")).toBe("00:48");
  expect(fullTime("2026-11-24T10:48:37.000Z")).toMatch(/24.*2026.*10:48:37/);
});

test.each([
  ["2026-11-25T00:00:00.000Z", "Today · Wednesday 25 November"],
  ["2026-11-24T23:59:59.999Z", "Yesterday · Tuesday 24 November"],
  ["2026-11-23T12:00:00.000Z", "Monday 23 November"],
  ["2025-11-25T12:00:00.000Z", "Tuesday 25 November, 2025"],
])("The heading of a day names it: %s", (time, heading) => {
  expect(dayHeading(time, now)).toBe(heading);
});

test("Yesterday is yesterday, too, when it had 23 or 25 hours", () => {
  vi.stubEnv("TZ", "Europe/Berlin");

  expect(dayHeading("2026-03-29T10:00:00.000Z", Date.parse("2026-03-30T10:00:00.000Z"))).toMatch(/^Yesterday/);
  expect(dayHeading("2026-10-25T10:00:00.000Z", Date.parse("2026-10-26T10:00:00.000Z"))).toMatch(/^Yesterday/);
});

test.each([
  ["UTC", "UTC+0"],
  ["Asia/Tokyo", "UTC+9"],
  ["Asia/Kolkata", "UTC+5:30"],
  ["America/St_Johns", "UTC-3:30"],
])("The offset of a zone has its sign, and minutes if it has some: %s", (zone, offset) => {
  vi.stubEnv("TZ", zone);

  expect(zoneOffset(now)).toBe(offset);
});

test("A size has two or three digits and its unit", () => {
  expect([999, 60_000, 1_240_000].map(sizeText)).toEqual(["999B", "60KB", "1.2MB"]);
});

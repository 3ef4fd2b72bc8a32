/** The reference page that `npm start` serves, in the hands of someone who has just opened it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { startLocal } from "../../harness/process.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const openPage = async () => {
  const { url } = await startLocal();
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  onTestFinished(() => page.close());
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url);
  return { url, page, requests, complaints };
};

/** Goes to an operation in the sidebar, and on to the form that tries it. */
const openClient = async (page: Page, operation: string) => {
  await page.getByRole("complementary").getByRole("link", { name: operation }).click();
  const section = page.getByRole("region", { name: operation });
  await section.getByRole("button", { name: /^Test Request/ }).click();
};

/** Clicks Send; answers the status that the page shows, and the headers of the response. */
const send = async (page: Page) => {
  const client = page.getByRole("dialog");
  const [response] = await Promise.all([
    page.waitForResponse((candidate) => candidate.url().includes("/v2/")),
    client.getByRole("button", { name: /^Send (get|post) request/ }).click(),
  ]);
  const status = await client.getByRole("link", { name: /^\d{3} / }).innerText();
  return { status, headers: response.headers() };
};

test("Get Message answers 200 at the first click", async () => {
  const { page } = await openPage();
  await openClient(page, "Get Message");

  const { status } = await send(page);

  expect(status).toBe("200 OK");
});

test("Add Account Member answers 201 at the first click, and its replay at the second", async () => {
  const { page } = await openPage();
  await openClient(page, "Add Account Member");

  const first = await send(page);
  const second = await send(page);

  expect([first.status, second.status]).toEqual(["201 Created", "201 Created"]);
  expect(first.headers).not.toHaveProperty("idempotent-replayed");
  expect(second.headers["idempotent-replayed"]).toBe("true");
});

test("The page asks no other server for anything, and the browser has no complaint", async () => {
  const { url, page, requests, complaints } = await openPage();
  await openClient(page, "Get Message");

  await send(page);

  expect(requests.map((request) => new URL(request).origin)).toEqual(requests.map(() => url));
  expect(complaints).toEqual([]);
});

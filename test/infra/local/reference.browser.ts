/** The reference page of `npm start` in a browser. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../infra/local/engine.ts";
import { launchChromium } from "../../harness/chromium.ts";
import { engineOf, startLocal } from "../../harness/process.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const openPage = async (device: BrowserContextOptions = {}) => {
  const { url } = await startLocal();
  const page = await browser.newPage(device);
  page.setDefaultTimeout(40_000);
  onTestFinished(() => page.close());
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${url}/#tag/messages`);
  return { url, page, requests, errors };
};

/** Opens the form that sends requests of an operation. */
const openClient = async (page: Page, operation: string) => {
  await page.getByRole("complementary").getByRole("link", { name: operation }).click();
  const section = page.getByRole("region", { name: operation });
  await section.getByRole("button", { name: /^Test Request/ }).click();
};

/** Clicks Send. Returns the status on the page. */
const send = async (page: Page) => {
  const client = page.getByRole("dialog");
  await Promise.all([
    page.waitForResponse((candidate) => candidate.url().includes("/v2/")),
    client.getByRole("button", { name: /^Send (get|post) request/ }).click(),
  ]);
  return client.getByRole("link", { name: /^\d{3} / }).innerText();
};

test("Add Account Member responds with 201 at the first click, and with a marked replay at the second", async () => {
  const { page } = await openPage();
  await openClient(page, "Add Account Member");

  const first = await send(page);
  const isReplay = await page.locator("#replay").isVisible();
  const second = await send(page);

  expect([first, second]).toEqual(["201 Created", "201 Created"]);
  expect(isReplay).toBe(false);
  await page.locator("#replay").waitFor({ state: "visible" });
});

test("Get Message responds with 200 at the first click, without a request to another server or an error", async () => {
  const { url, page, requests, errors } = await openPage();
  await openClient(page, "Get Message");

  const status = await send(page);

  expect(status).toBe("200 OK");
  expect(requests.map((request) => new URL(request).origin)).toEqual(requests.map(() => url));
  expect(errors).toEqual([]);
});

test("On a phone, no text is wider than the screen, and the response is in view after the first tap", async () => {
  const { page } = await openPage(phone);
  const section = page.getByRole("region", { name: "Get Message" });
  await section.waitFor();
  const width = await page.evaluate("document.documentElement.scrollWidth");
  await section.getByRole("button", { name: /^Test Request/ }).tap();
  const address = page.getByRole("dialog").getByText("http://127.0.0.1").first();

  await address.click({ trial: true, position: { x: 10, y: 10 } }); // fails if another element covers the address
  const status = await send(page);
  const body = page.getByRole("dialog").getByRole("button", { name: "Body", exact: true }).last();

  expect(width).toBe(phone.viewport.width);
  expect(status).toBe("200 OK");
  await expect.poll(async () => (await body.boundingBox())?.y).toBeLessThan(phone.viewport.height);
});

test("Another site's page reaches neither the API, nor the table, nor the engine behind it", async () => {
  const DYNAMODB_PORT = String(await freePort());
  const { url, child } = await startLocal({ DYNAMODB_PORT });
  const engine = await engineOf(child);
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto("data:text/html,Another site");
  const headers = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
  };
  const read = (target: string, mode: string) =>
    page.evaluate(
      `fetch("${target}", ${JSON.stringify({ method: "POST", mode, headers, body: "{}" })}).then((r) => r.text(), String)`,
    );
  const unsafe: (string | undefined)[] = [];
  page.on("requestfailed", (request) => unsafe.push(request.failure()?.errorText));

  const responses = [
    await read(`${url}/openapi.json`, "cors"),
    await read(`http://127.0.0.1:${DYNAMODB_PORT}/`, "cors"),
    await read(`http://127.0.0.1:${engine.port}/`, "cors"),
    await read(`http://127.0.0.1:${engine.port}/`, "no-cors"),
  ];

  expect(responses).toEqual(responses.map(() => "TypeError: Failed to fetch"));
  expect(unsafe.slice(-2)).toEqual(["net::ERR_UNSAFE_PORT", "net::ERR_UNSAFE_PORT"]);
});

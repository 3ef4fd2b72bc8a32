/** Opens the desk in a browser, with emails of a test. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { run, type Service, startLocal } from "./process.ts";
import { folderOf } from "./temporary-folder.ts";

const viewport = { width: 390, height: 844 };

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };
export const phone: BrowserContextOptions = { viewport, isMobile: true, hasTouch: true };

/** Waits until the page shows a message and its content. */
export const shown = async (page: Page, subject: string): Promise<void> => {
  await page.getByRole("heading", { level: 1, name: subject }).waitFor();
  await expect.poll(() => page.locator("#state").textContent()).toBe("");
};

export const rows = (page: Page, hasText: string | RegExp = "") => page.locator("#rows a", { hasText });

/** Opens a message of the search. */
export const openRow = async (page: Page, subject: string): Promise<void> => {
  await rows(page).getByText(subject, { exact: true }).click();
  await shown(page, subject);
};

/** What the page has copied. It copies after the click has returned, so a test polls. */
export const copied = async (page: Page): Promise<string> =>
  String(await page.evaluate("navigator.clipboard.readText()"));

/** What axe-core finds on the page. */
export const violationsOf = async (page: Page): Promise<unknown> => {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8"));
  return page.evaluate("axe.run(document, { iframes: false }).then(({ violations }) => violations)");
};

type Options = BrowserContextOptions & { args?: string[] };

export const openPage = async (browser: Browser, { args = [], ...options }: Options = desktop) => {
  const service = await startLocal({}, ["node", "infra/local/main.ts", ...args]);
  const page = await browser.newPage({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  onTestFinished(() => page.close());
  await page.goto(`${service.url}/messages`);
  await rows(page, "Welcome").waitFor();
  return { page, service, url: service.url };
};

/** Writes an email with these lines, from its Content-Type on. */
export const emailOf = (subject: string, ...lines: string[]): string =>
  [
    "From: Ada Lovelace <ada@example.com>",
    "To: bob@example.org",
    "Date: Fri, 20 Nov 2026 10:00:00 +0000",
    `Subject: ${subject}`,
    "MIME-Version: 1.0",
    ...lines,
  ].join("\r\n");

/** Opens the page with one email, and shows it. */
export const openEmail = async (browser: Browser, email: string, options: BrowserContextOptions = desktop) => {
  const opened = await openPage(browser, { ...options, args: ["--seed", folderOf({ "email.eml": email })] });
  const [, subject = ""] = /^Subject: (.*)\r$/m.exec(email) ?? [];
  await openRow(opened.page, subject);
  return opened;
};

/** An outgoing email with a header `X-Mail` that names it, and what happened to it. */
export type Sent = { email: string; changes: object[] };

/** Stores emails in the demonstration account, and records their events, with the commands that npm start printed. */
export const storeSent = async ({ output }: Service, sent: Sent[]): Promise<void> => {
  const [, importing = ""] = /^(.*import-message.*) my\.eml$/m.exec(output) ?? [];
  const [, recording = ""] = /\| (.*record-events.*)$/m.exec(output) ?? [];
  const [, account_id] = /--account (\S+)/.exec(importing) ?? [];
  const folder = folderOf(Object.fromEntries(sent.map(({ email }, index) => [`${index}.eml`, email])));
  expect(await run(`${importing} --external-id X-Mail ${folder}`)).toMatchObject({ status: 0 });
  const events = sent.flatMap(({ email, changes }) => {
    const [, external_id] = /^X-Mail: (.*)\r$/m.exec(email) ?? [];
    return changes.map((change, index) => ({
      id: `${external_id} ${index}`,
      account_id,
      message: { external_id },
      ...change,
    }));
  });
  const input = events.map((event) => JSON.stringify(event)).join("\n");
  expect(await run(recording, { input })).toMatchObject({ status: 0 });
};

/** An attempt that brings a status. */
export const attemptOf = (time: Date, status: string, log: string): object[] => [
  { type: "message.delivery_attempt", time, status, log },
  { type: "message.status", time, status, ...(status === "delivered" && { delivered_at: time }) },
];

/** Ten tasks of a support person. Each takes at most three steps: something typed, or a click. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { attemptOf, copied, desktop, phone, rows, storeSent } from "../../harness/desk.ts";
import { startLocal } from "../../harness/process.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const dayMilliseconds = 86_400_000;
const yesterday = new Date(Date.now() - dayMilliseconds);
const invoice = "Your invoice 1120";
const shipped = "Your order 8 has shipped";
const opened = { type: "message.opened" };

const emailOf = (subject: string, time: Date): string =>
  [
    "From: shop@shop.example\r\nTo: ada@example.com",
    `X-Mail: ${subject.length}\r\nSubject: ${subject}\r\nDate: ${time.toUTCString()}\r\nMessage-ID: <${subject.length}@shop.example>`,
    "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n",
    '--b\r\nContent-Type: text/html\r\n\r\n<p>Dear Ada, <a href="https://shop.example/pay/1120">pay here</a>',
    "--b\r\nContent-Type: application/pdf; name=invoice.pdf\r\n\r\n%PDF\r\n--b--",
  ].join("\r\n");

const service = await startLocal();
await storeSent(service, [
  { email: emailOf(invoice, yesterday), changes: [...attemptOf(yesterday, "delivered", "250 2.0.0 Ok"), opened] },
  { email: emailOf(shipped, new Date()), changes: attemptOf(new Date(), "bounced", "550 5.1.1 User unknown") },
]);
const { url } = service;

type Step = (page: Page) => Promise<unknown>;

const search: Step = async (page) => {
  await page.getByRole("searchbox").fill("ada@example.com");
  await page.keyboard.press("Enter");
  await rows(page, invoice).waitFor();
};
const openMessage =
  (subject: string): Step =>
  (page) =>
    rows(page).getByText(subject, { exact: true }).click();
const press =
  (name: string): Step =>
  (page) =>
    page.getByRole("button", { name, exact: true }).click();
const saveWith =
  (name: string, use: (file: Buffer) => void): Step =>
  async (page) => {
    const saved = page.waitForEvent("download");
    await press(name)(page);
    use(await readFile(await (await saved).path()));
  };
const text = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();
const row = (page: Page, subject: string): Locator => rows(page, subject);

type Task = [name: string, steps: Step[], check: (page: Page) => Promise<unknown>];
const tasks: Task[] = [
  [
    "find Ada's email of yesterday",
    [search],
    async (page) => expect(await text(page, "#rows")).toMatch(new RegExp(`Yesterday · .+\\s+[^·]*${invoice}`)),
  ],
  [
    "say why it bounced",
    [search],
    async (page) =>
      expect(await row(page, shipped).innerText()).toContain("Address doesn't exist (5.1.1) · 550 5.1.1 User unknown"),
  ],
  [
    "say whether she opened it",
    [search],
    async (page) => expect(await row(page, invoice).innerText()).toContain("opened once, perhaps by machines"),
  ],
  [
    "send her the attachment again",
    [search, openMessage(invoice), saveWith("Download invoice.pdf", (file) => expect(`${file}`).toContain("%PDF"))],
    async () => {},
  ],
  [
    "prove what we sent",
    [
      search,
      openMessage(invoice),
      saveWith("Save .eml", (file) => expect(`${file}`).toBe(emailOf(invoice, yesterday))),
    ],
    async () => {},
  ],
  [
    "check where the link leads",
    [search, openMessage(invoice)],
    async (page) =>
      expect(await page.frameLocator("iframe").locator("body").innerText()).toContain("https://shop.example/pay/1120"),
  ],
  [
    "compare two",
    [
      search,
      async (page) => {
        const href = await row(page, invoice).getAttribute("href");
        const other = await page.context().newPage(); // as "Open in a new tab" does
        await other.goto(`${url}/messages${href}`);
        await other.getByRole("heading", { name: invoice }).waitFor();
      },
      openMessage(shipped),
    ],
    (page) => page.getByRole("heading", { level: 1, name: shipped }).waitFor(),
  ],
  [
    "say when it is deleted",
    [search, openMessage(invoice)],
    async (page) => expect(await text(page, "#people")).toMatch(/Deleted on\s+.+ \(in \d+ days\)/),
  ],
  [
    "give engineering the ids",
    [search, openMessage(invoice), press("Copy for engineering")],
    async (page) => {
      await expect.poll(() => copied(page)).toMatch(/^message [\da-f-]{36} · account [\da-f-]{36} · domain /);
      expect(await copied(page)).toMatch(
        / · Message-ID <17@shop\.example> · status delivered since \S+Z · last attempt \S+Z: 250 2\.0\.0 Ok · this machine · curl -s "http/,
      );
    },
  ],
  [
    "give a colleague a link",
    [search, press("Copy link to this search")],
    (page) => expect.poll(() => copied(page)).toBe(`${url}/messages?q=ada%40example.com`),
  ],
];

describe.each([
  ["desktop", desktop],
  ["phone", phone],
] as const)("On a %s, in at most three steps:", (_, device) => {
  test.each(tasks)("%s", async (_name, steps, check) => {
    const context = await browser.newContext({ ...device, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${url}/messages`);

    for (const step of steps) await step(page);
    await page.locator("#verdict:visible, #rows a:visible").first().waitFor();

    await check(page);
    expect(steps.length).toBeLessThanOrEqual(3);
    await context.close();
  });
});

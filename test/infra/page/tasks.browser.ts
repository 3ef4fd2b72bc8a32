/** Ten tasks of a support person. Each takes at most three steps: something typed, or a click. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { copied, desktop, phone, rows } from "../../harness/desk.ts";
import { run, startLocal } from "../../harness/process.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const dayMilliseconds = 86_400_000;
const yesterday = new Date(Date.now() - dayMilliseconds);
const invoice = "Your invoice 1120";
const shipped = "Your order 8 has shipped";

const emailOf = (subject: string, time: Date): string =>
  [
    "From: shop@shop.example\r\nTo: ada@example.com",
    `Subject: ${subject}\r\nDate: ${time.toUTCString()}\r\nMessage-ID: <${subject.length}@shop.example>`,
    "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n",
    '--b\r\nContent-Type: text/html\r\n\r\n<p>Dear Ada, <a href="https://shop.example/pay/1120">pay here</a>',
    "--b\r\nContent-Type: application/pdf; name=invoice.pdf\r\n\r\n%PDF\r\n--b--",
  ].join("\r\n");

/** Starts the desk with an invoice of yesterday that Ada opened, and a later email that bounced. */
const startWithAda = async () => {
  const service = await startLocal();
  const [, importing = ""] = /^(.*import-message.*) my\.eml$/m.exec(service.output) ?? [];
  const [, recording = ""] = /\| (.*record-events.*)$/m.exec(service.output) ?? [];
  const [, account_id] = /--account (\S+)/.exec(importing) ?? [];
  const folder = folderOf({ "1.eml": emailOf(invoice, yesterday), "2.eml": emailOf(shipped, new Date()) });
  const idOf = async (file: string): Promise<string> => {
    const { stdout } = await run(`${importing} --direction outgoing --json ${folder}/${file}`);
    return JSON.parse(stdout.split("\n")[0] ?? "").id;
  };
  const [first, second] = [await idOf("1.eml"), await idOf("2.eml")];
  const changes = [
    [first, { type: "message.delivery_attempt", time: yesterday, status: "delivered", log: "250 2.0.0 Ok" }],
    [first, { type: "message.status", time: yesterday, status: "delivered", delivered_at: yesterday }],
    [first, { type: "message.opened" }],
    [second, { type: "message.delivery_attempt", time: new Date(), status: "bounced", log: "550 5.1.1 User unknown" }],
    [second, { type: "message.status", time: new Date(), status: "bounced" }],
  ] as const;
  const input = changes.map(([id, change], index) =>
    JSON.stringify({ id: `${index}`, account_id, message: { id }, ...change }),
  );
  expect(await run(recording, { input: input.join("\n") })).toMatchObject({ status: 0 });
  return { ...service, first };
};

const { url, first } = await startWithAda();

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
      await expect.poll(() => copied(page)).toContain(`message ${first} · account `);
      expect(await copied(page)).toMatch(/Message-ID <17@shop\.example> · .+ · curl -s "http/);
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

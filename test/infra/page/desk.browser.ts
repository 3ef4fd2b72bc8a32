/** The support desk in a browser. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import {
  attemptOf,
  copied,
  desktop,
  emailOf,
  openPage,
  openRow,
  phone,
  rows,
  shown,
  storeSent,
  violationsOf,
} from "../../harness/desk.ts";
import { startLocal } from "../../harness/process.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const invoice = "Ihre Rechnung 2026-1120 über 90 €";
const welcome = "Welcome to Example Post, Zoë! 🎉";

const search = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("searchbox").fill(text);
  await page.keyboard.press("Enter");
};

describe("The search", () => {
  test("finds a person's messages by address, words narrow them, and a copied link shows the same", async () => {
    const { page, url } = await openPage(browser);
    expect(await rows(page).count()).toBe(3);

    await search(page, "zoe@example.org");
    await expect.poll(() => page.locator("#count").innerText()).toBe("1 message as recipient or sender");
    await page.getByRole("button", { name: "Copy link to this search" }).click();
    await expect.poll(() => copied(page)).toBe(`${url}/messages?q=zoe%40example.org`);
    const colleague = await browser.newPage();
    await colleague.goto(await copied(page));
    await rows(colleague, welcome).waitFor();
    expect(await colleague.title()).toBe("zoe@example.org · Desk");

    await page.getByRole("searchbox").fill("zoe@example.org invoice");
    await expect.poll(() => page.locator("#rows").innerText()).toBe("No message matches.");
    await page.goBack();
    await expect.poll(() => rows(page).count()).toBe(3);
  });

  test("reads a person's older messages on demand, and says how many were read", async () => {
    const emails = Array.from({ length: 110 }, (_, index) => [
      `${index}.eml`,
      emailOf(`Mail-${index}`, "", "x").replace(/^Date: .*$/m, `Date: ${new Date().toUTCString()}`),
    ]);
    const folder = folderOf(Object.fromEntries(emails));
    const { page } = await openPage(browser, { ...desktop, args: ["--seed", folder] });
    const [count, end] = [page.locator("#count"), page.locator("#more")];
    expect(await end.innerText()).toBe("The newest messages of this machine. Type an address to find a person's.");

    await search(page, "ada@example.com");
    const partial = "50 messages as recipient or sender, of the newest 50 that were read";
    await expect.poll(() => count.innerText()).toBe(partial);
    expect(await rows(page).count()).toBe(50);
    expect(await end.innerText()).toMatch(/^The newest 50 were read; counts and filters cover only these\./);
    const older = page.getByRole("button", { name: "Read older ones" });
    await older.click();
    await expect.poll(() => count.innerText()).toBe(partial.replaceAll("50", "100"));
    await older.click();
    await expect.poll(() => count.innerText()).toBe("110 messages as recipient or sender");
    const subjects = await page.locator("#rows b").allInnerTexts();
    expect(new Set(subjects)).toHaveProperty("size", 110);
    await page.getByRole("searchbox").fill("ada@example.com mail-109");
    await expect.poll(() => count.innerText()).toBe("1 of 110 messages as recipient or sender");
    expect(await end.innerText()).toMatch(/^That is everything of the last 7 days\. Messages past their retention/);
    await end.getByRole("button", { name: "Last 30 days" }).click();

    await expect.poll(() => page.url()).toContain("range=30d");
    expect(await page.getByLabel("Time").inputValue()).toBe("30d");
    await page.getByLabel("Time").selectOption("All time");
    await expect.poll(() => count.innerText()).toMatch(/^[01] of 50 messages .* of the newest 50 that were read$/);
    await older.click();
    await expect.poll(() => count.innerText()).toMatch(/^[01] of 100 messages/);
    await older.click();
    await expect.poll(() => count.innerText()).toBe("1 of 110 messages as recipient or sender");
    expect(await end.innerText()).toBe("That is everything. Messages past their retention are gone.");
  });

  test("counts outcomes, and shows one of them", async () => {
    const { page } = await openPage(browser);
    expect(await page.locator("#groups label").allInnerTexts()).toEqual([
      "All 3",
      "Not delivered 1",
      "Delivered 1",
      "From them 1",
    ]);

    await page.getByText("Not delivered 1").click();

    expect(await rows(page).count()).toBe(1);
    expect(await rows(page).innerText()).toMatch(/Mailbox is full \(5\.2\.2\) · 552 5\.2\.2 Mailbox full/);
    expect(page.url()).toContain("?group=bad");
  });

  test("has the first result on the first screen of a phone, and nothing is wider than it", async () => {
    const { page } = await openPage(browser, phone);

    const box = await rows(page).first().boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(phone.viewport?.height ?? 0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport?.width);
  });

  test("shows the chosen message beside the list, with its reason, its timeline and the date of its deletion", async () => {
    const { page } = await openPage(browser);

    await rows(page, invoice).locator("time").click();

    const peek = await page.locator("#peek").innerText();
    expect(peek).toMatch(/Bounced on .+, at the first try/);
    expect(peek).toContain("The mailbox is full (5.2.2 means so).");
    expect(peek).toMatch(/Deleted on\s+.+ \(in 30 days\)/);
    expect(peek).toContain("Timeline, newest first");
    expect(page.url()).toMatch(/\?chosen=[\da-f-]+%2F22f1b9a5/);
  });

  test("works with the keyboard alone: few stops to a message, arrows between rows, the focus stays on a refresh", async () => {
    const { page } = await openPage(browser);
    let stops = 0;
    const isOnRow = () => page.evaluate("document.activeElement.closest('#rows') !== null");
    do {
      await page.keyboard.press("Tab");
      stops++;
    } while (!(await isOnRow()) && stops < 80);
    expect(stops).toBeLessThan(10);

    await page.keyboard.press("ArrowDown");
    await page.waitForResponse((response) => response.url().endsWith("/messages/recent"));
    await page.waitForTimeout(300);
    expect(await page.evaluate("document.activeElement.innerText")).toContain(invoice);
    await page.keyboard.press("Enter");
    await shown(page, invoice);
    await page.locator("#skip").focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("subject");
    await page.goBack();
    await expect.poll(() => page.evaluate("document.activeElement.innerText")).toContain(invoice);

    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Shift+Tab");
    await page.locator("#skip").focus();
    await page.keyboard.press("Enter");
    expect(await isOnRow()).toBe(true);
  });
});

describe("A message", () => {
  test("shows the email with its inline image, and its timeline with the newest entry first", async () => {
    const { page } = await openPage(browser);
    await openRow(page, welcome);

    expect(await page.frameLocator("iframe").getByRole("heading").innerText()).toBe("Hello Zoë,");
    await expect.poll(() => page.frames()[1]?.evaluate("document.images[0].naturalWidth")).toBe(48);
    const timeline = "clicked once|opened 3 times|delivered|deferred|created";
    expect(await page.locator("#timeline b").allInnerTexts()).toEqual(timeline.split("|"));
    expect(await page.locator("#timeline li").first().innerText()).toContain("perhaps by machines");
    expect(await page.locator("#timeline code").last().innerText()).toContain("451 4.7.1 Greylisted");
    const chips = ["delivered", "outgoing", "onboarding", "welcome"];
    expect(await page.locator("#chips span").allInnerTexts()).toEqual(chips);
    expect(await page.locator("#verdict").getAttribute("class")).toBe("good");
  });

  test("is saved byte for byte, and so is its attachment", async () => {
    const { page } = await openPage(browser);
    await openRow(page, welcome);
    const save = async (name: string | RegExp): Promise<Buffer> => {
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      return readFile(await (await saved).path());
    };

    const [logo, raw] = [await save("Download logo.png"), await save("Save .eml")];

    const file = "../../../infra/local/demo/welcome-html-with-logo.eml";
    const eml = await readFile(new URL(file, import.meta.url));
    expect(raw.equals(eml)).toBe(true);
    expect(eml.toString().replaceAll(/\s/g, "")).toContain(logo.toString("base64"));
  });

  test("can be saved by a slow browser: the file stays for a minute, and then leaves the memory", async () => {
    const { page } = await openPage(browser);
    await openRow(page, welcome);
    await page.evaluate("URL.revokeObjectURL = (address) => (window.revoked = address)");
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save .eml" }).click();
    const address = (await saved).url();

    await page.clock.fastForward(59_000);
    expect(await page.evaluate("window.revoked")).toBeUndefined();
    await page.clock.fastForward(1000);
    expect(await page.evaluate("window.revoked")).toBe(address);
  });

  test("of an API is shown by its ids and a key, and a wrong key says so", async () => {
    const local = await startLocal();
    const [, account = "", key = ""] = /accounts\/([\da-f-]+)\/.+Bearer (\S+)"/.exec(local.output) ?? [];
    const { url } = await startLocal({}, ["node", "infra/local/main.ts", "--api", local.url]);
    const page = await browser.newPage(desktop);
    await page.goto(`${url}/messages`);
    const show = async (apiKey: string) => {
      await page.getByLabel("Message id").fill("33a2c0b6-8e3d-4f20-9b79-5c3d2e1f9a03");
      await page.getByLabel("Account id").fill(` ${account.toUpperCase()} `); // as it was copied
      await page.getByLabel("API key").fill(apiKey);
      await page.getByRole("button", { name: "Show message" }).click();
    };

    expect(await violationsOf(page)).toEqual([]);
    expect(await page.locator("#state").textContent()).toMatch(
      /^Enter the ids of a message and a key of its account\./,
    );
    await show("wrong");
    await expect
      .poll(() => page.locator("#state").textContent())
      .toMatch(/^401: Invalid API key\. .+ belong to another account$/);
    await show(key);
    await shown(page, "Undelivered Mail Returned to Sender");

    await page.getByText("All fields").click();
    expect(await page.locator("#fields").innerText()).toContain("9007199254740993");
    expect(await page.locator("#search").isVisible()).toBe(false);
    await page.reload();
    expect(await page.getByLabel("Message id").inputValue()).toBe("33a2c0b6-8e3d-4f20-9b79-5c3d2e1f9a03");
    expect(await page.getByLabel("Account id").inputValue()).toBe(account.toUpperCase());
  });
});

describe("The desk has no violation of axe-core, and no text wider than the screen:", () => {
  test.each([
    ["desktop", "light", desktop],
    ["desktop", "dark", desktop],
    ["phone", "light", phone],
    ["phone", "dark", phone],
  ] as const)("%s, %s", async (_, colorScheme, device) => {
    const { page } = await openPage(browser, { ...device, colorScheme });
    const found: Record<string, unknown> = { search: await violationsOf(page) };
    await search(page, "nobody@example.com");
    await page.getByText("No message matches.").waitFor();
    found.nothing = await violationsOf(page);
    await page.goBack();
    await openRow(page, welcome);
    for (const summary of await page.locator("summary").all()) if (await summary.isVisible()) await summary.click();
    await page.locator("#raw pre").waitFor();
    found.message = await violationsOf(page);

    expect(found).toEqual({ search: [], nothing: [], message: [] });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(device.viewport?.width);
  });
});

test.runIf(process.env.PICTURE)("makes the picture of README", async () => {
  const { page, service } = await openPage(browser, { ...desktop, timezoneId: "UTC", deviceScaleFactor: 2 });
  const today = new Date().setUTCHours(0, 0, 0, 0);
  const hours = (count: number) => new Date(today - count * 3_600_000);
  const sent = (subject: string, hoursAgo: number, changes: object[], from = "orders@shop.example") => ({
    email: [
      `From: ${from}\r\nTo: ada@example.com\r\nX-Mail: ${hoursAgo}\r\nDate: ${hours(hoursAgo + 1).toUTCString()}`,
      `Subject: ${subject}\r\nMessage-ID: <${hoursAgo}@shop.example>\r\n\r\nHello Ada`,
    ].join("\r\n"),
    changes,
  });
  const timeout = "421 4.4.1 Connection timed out";
  const deferred = [14, 13, 12, 11].flatMap((ago) => attemptOf(hours(ago), "deferred", timeout));
  const unknown = "550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table";
  await storeSent(service, [
    sent("November deals: 40 % off everything you liked", -1, [
      ...attemptOf(hours(-1), "delivered", "250 2.0.0 Ok"),
      ...Array(37).fill({ type: "message.opened" }),
    ]),
    sent("فاتورتك رقم 2026-1120 جاهزة", 3, attemptOf(hours(3), "delivered", "250 2.0.0 Ok")),
    sent("Your invoice 2026-1123 is ready", 8, [{ type: "message.status", time: hours(8), status: "complained" }]),
    sent("Your order 9 has shipped", 15, deferred),
    sent("Your order 8 has shipped", 20, attemptOf(hours(20), "bounced", unknown)),
    sent("Order confirmation 1001", 26, []),
    sent("Your order 7 has shipped", 30, attemptOf(hours(30), "delivered", "250 2.0.0 Ok")),
  ]);
  await search(page, "ada@example.com");

  await rows(page, "order 8").locator("time").click();
  await page.locator("#peek").getByText("virtual mailbox table").first().waitFor();

  await page.screenshot({ path: process.env.PICTURE ?? "" });
});

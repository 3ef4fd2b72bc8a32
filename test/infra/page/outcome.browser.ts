/** How the desk says what became of a message. */
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { copied, desktop, emailOf, openEmail, openPage, openRow, phone, rows, shown } from "../../harness/desk.ts";
import { run } from "../../harness/process.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const verdict = (page: Page): Promise<string> => page.locator("#verdict").innerText();

test.each([
  ["desktop", desktop],
  ["phone", phone],
])("The first screen says why a message bounced: %s", async (_, device) => {
  const { page } = await openPage(browser, device);
  await openRow(page, "Welcome to Example Post, Zoë! 🎉");
  expect(await verdict(page)).toMatch(/^Delivered on .+, after 2 tries in 6 min$/);
  expect(await page.locator("#plain").innerText()).toBe("Opened 3 times, clicked once, perhaps by machines.");
  await page.goBack();

  await openRow(page, "Ihre Rechnung 2026-1120 über 90 €");

  expect(await verdict(page)).toMatch(/^Bounced on .+, at the first try$/);
  expect(await page.locator("#plain").innerText()).toMatch(/^The mailbox is full \(5\.2\.2 means so\)\. /);
  expect(await page.locator("#words").innerText()).toBe("552 5.2.2 Mailbox full");
  const box = await page.locator("#words").boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(device.viewport?.height ?? 0);
  const people = await page.locator("#people").innerText();
  expect(people).toContain("Bäckerei Blüte <rechnung@example.com>");
  expect(people).toContain("Sebastian Müßig <s.muessig@example.net>");
  expect(people).toMatch(/Cc\s+buchhaltung@example.net/);
  expect(people).toMatch(/Reply-To\s+kontakt@example.com/);
});

test("A delivery report shows its recipient, action, status and reason, and the original message", async () => {
  const original = emailOf("Original", "Message-ID: <original@example.com>", "", "Hello");
  const report = emailOf(
    "Report",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "",
    "--b\r\nContent-Type: text/plain\r\n\r\nIt failed.",
    "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n",
    "Final-Recipient: rfc822; nobody@example.net\r\nAction: failed\r\nStatus: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 User\r\n unknown",
    `--b\r\nContent-Type: message/rfc822\r\n\r\n${original}\r\n--b--`,
  );
  const { page, service } = await openEmail(browser, report);
  expect(await verdict(page)).toBe("Delivery to nobody@example.net: failed");
  expect(await page.locator("#verdict").getAttribute("class")).toBe("bad");
  expect(await page.locator("#report .address").allInnerTexts()).toEqual(["<original@example.com>"]);
  expect(await page.locator("#words").innerText()).toBe("550 5.1.1 User unknown");
  expect(await page.locator("#report").innerText()).toMatch(/nobody@example.net\s+Action\s+failed\s+Status\s+5.1.1/);

  expect(await page.locator("#fields").textContent()).toContain("is_bounce_notificationtrue");

  const [, command = ""] = /^(.*import-message.*) my\.eml$/m.exec(service.output) ?? [];
  await run(`${command} -`, { input: original });
  await page.goBack();
  await rows(page, "Original").waitFor();
  await openRow(page, "Report");
  await page.locator("#report").getByRole("link", { name: "Original" }).click();

  await shown(page, "Original");
  expect(await page.locator("#timeline b").allInnerTexts()).toEqual(["sent"]); // "created" is the import's time
});

test("249 attempts fold into one with the last answer, which engineering gets beside a curl command that works", async () => {
  const { page, service } = await openEmail(browser, emailOf("Deferred", "", "Hello"));
  const [, account_id = "", id = ""] = /#([^/]+)\/(.+)/.exec(page.url()) ?? [];
  const ref = { account_id, message: { id } };
  const attempts = Array.from({ length: 249 }, (_, index) => ({
    ...ref,
    id: `attempt-${index}`,
    type: "message.delivery_attempt",
    time: new Date(Date.UTC(2026, 10, 20, 11, index)).toISOString(),
    log: `451 4.7.1 Greylisted ${index}`,
    status: "deferred",
  }));
  const status = {
    ...ref,
    id: "status",
    type: "message.status",
    time: new Date().toISOString(),
    status: "deferred",
  };
  const input = [...attempts, status].map((event) => JSON.stringify(event)).join("\n");
  const [, command = ""] = /\| (.*record-events.*)$/m.exec(service.output) ?? [];
  expect(await run(command, { input })).toMatchObject({ status: 0 });

  await page.reload();
  await shown(page, "Deferred");

  expect(await verdict(page)).toMatch(/^Deferred: 249 tries since .+, last on .+$/);
  expect(await page.locator("#words").innerText()).toBe("451 4.7.1 Greylisted 248");
  expect(await page.locator("#timeline b").allInnerTexts()).toEqual(["249 × deferred", "sent"]);
  expect(await page.locator("#timeline code").allInnerTexts()).toEqual(["451 4.7.1 Greylisted 248"]);
  await page.locator("#timeline summary").click();
  await expect.poll(() => page.locator("#timeline li li").count()).toBe(249);

  await page.getByRole("button", { name: "Copy for engineering" }).click();
  await expect.poll(() => copied(page)).toMatch(/last attempt 2026-11-20T15:08:00\S+: 451 4\.7\.1 Greylisted 248 · /);
  await page.getByRole("button", { name: "Copy curl command" }).click();
  await expect.poll(() => copied(page)).toMatch(/^curl/);
  expect(JSON.parse((await run(await copied(page))).stdout)).toMatchObject({ id, num_attempts: 249 });
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect.poll(() => copied(page)).toBe(page.url().replace(/\?.*#/, "#"));
  await page.locator("#back").click();
  await rows(page, "Deferred").locator("[title='451 4.7.1 Greylisted 248']").waitFor();
  await expect.poll(() => page.locator("#peek .timeline b").allInnerTexts()).toEqual(["249 × deferred", "sent"]);
});

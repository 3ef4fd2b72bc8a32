/** The page /messages in a browser. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { desktop, openPage, phone, shown } from "../../harness/messages-page.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

describe("The page /messages", () => {
  test("shows the demonstration's first message at once, with its inline image and its timeline", async () => {
    const { page } = await openPage(browser);

    expect(await page.frameLocator("iframe").getByRole("heading").innerText()).toBe("Hello Zoë,");
    await expect.poll(() => page.frames()[1]?.evaluate("document.images[0].naturalWidth")).toBe(48);
    const timeline = "created|deferred|delivered|opened 3 times|clicked once";
    expect(await page.locator("#timeline b").allInnerTexts()).toEqual(timeline.split("|"));
    expect(await page.locator("#timeline code").first().innerText()).toContain("451 4.7.1 Greylisted");
  });

  test("works with the keyboard alone", async () => {
    const { page } = await openPage(browser);

    await page.getByRole("link", { name: "Ihre Rechnung" }).focus();
    await page.keyboard.press("Enter");
    await shown(page, "Ihre Rechnung 2026-1120 über 90 €");
    await page.getByText("All fields").focus();
    await page.keyboard.press("Enter");

    expect(await page.locator("#part pre").innerText()).toContain("42 Croissants");
    expect(await page.locator("#fields").innerText()).toContain("mailbox-full");
    expect(await page.getByRole("link", { name: "Ihre Rechnung" }).getAttribute("aria-current")).toBe("page");
  });

  test("saves an attachment byte for byte, and the raw email", async () => {
    const { page } = await openPage(browser);
    const save = async (name: string | RegExp): Promise<Buffer> => {
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      return readFile(await (await saved).path());
    };
    await page.getByText("Raw email").click();

    const [logo, raw] = [
      await save("Download logo.png"),
      await save(/^Download Welcome to Example Post, Zoë! .+\.eml$/),
    ];

    const file = "../../../infra/local/demo/welcome-html-with-logo.eml";
    const eml = await readFile(new URL(file, import.meta.url));
    expect(raw.equals(eml)).toBe(true);
    expect(eml.toString().replaceAll(/\s/g, "")).toContain(logo.toString("base64"));
  });

  test("shows any message of any account by id and key, and the API's error for a wrong one", async () => {
    const { page } = await openPage(browser);
    await page.getByText("Any other message").click();
    const bounce = "33a2c0b6-8e3d-4f20-9b79-5c3d2e1f9a03";

    await page.getByLabel("Message id").fill(bounce);
    await page.getByRole("button", { name: "Show message" }).click();
    await shown(page, "Undelivered Mail Returned to Sender");
    await page.getByText("All fields").click();
    const reference = await page.locator("#fields").innerText();
    await page.getByLabel("API key").fill("wrong");
    await page.getByRole("button", { name: "Show message" }).click();

    expect(page.url()).toMatch(new RegExp(`/messages#[\\da-f-]{36}/${bounce}$`));
    expect(reference).toContain("9007199254740993");
    await expect.poll(() => page.locator("#state").textContent()).toMatch(/^401: Invalid API key\. A key can be/);
    await expect.poll(() => page.title()).toBe("Messages");
    await page.locator("#list a", { hasText: "Undelivered" }).click();
    await shown(page, "Undelivered Mail Returned to Sender"); // with the demonstration's key again
  });

  test.each([
    ["desktop", "light", desktop],
    ["desktop", "dark", desktop],
    ["phone", "light", phone],
    ["phone", "dark", phone],
  ] as const)(
    "has no violation of axe-core, and no text wider than the screen: %s, %s",
    async (_, colorScheme, device) => {
      const { page } = await openPage(browser, { ...device, colorScheme });
      for (const summary of await page.locator("summary").all()) if (await summary.isVisible()) await summary.click();
      await page.locator("#raw pre").waitFor();

      await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8"));
      const found = await page.evaluate("axe.run(document, { iframes: false }).then(({ violations }) => violations)");

      expect(found).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(device.viewport?.width);
    },
  );

  test.runIf(process.env.PICTURE)("makes the picture of README", async () => {
    const { page } = await openPage(browser, { ...desktop, timezoneId: "UTC", deviceScaleFactor: 2 });
    await page.getByRole("link", { name: "Ihre Rechnung" }).click();
    await shown(page, "Ihre Rechnung 2026-1120 über 90 €");

    await page.screenshot({ path: process.env.PICTURE ?? "" });
  });
});

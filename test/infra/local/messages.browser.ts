/** The page /messages in a browser. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContext, BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { listen } from "../../harness/listen.ts";
import { startLocal } from "../../harness/process.ts";
import { folderOf, temporaryFolder } from "../../harness/temporary-folder.ts";
import { hostileEmails, hostOf, rawEmail } from "./hostile-email.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const timeout = 60_000;
const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };
const viewport = { width: 390, height: 844 };
const phone: BrowserContextOptions = { viewport, isMobile: true, hasTouch: true };

const openPage = async (options: BrowserContextOptions = desktop) => {
  const { url } = await startLocal();
  const page = await browser.newPage(options);
  onTestFinished(() => page.close());
  await page.goto(`${url}/messages`);
  await shown(page, "Welcome to Example Post, Zoë! 🎉");
  return { page, url };
};

/** Waits until the page shows a message and its content. */
const shown = async (page: Page, subject: string): Promise<void> => {
  await page.getByRole("heading", { level: 1, name: subject }).waitFor();
  await expect.poll(() => page.locator("#state").textContent(), { timeout }).toBe("");
};

describe("The page /messages", () => {
  test("shows the demonstration's first message at once, with its inline image and its timeline", async () => {
    const { page } = await openPage();

    expect(await page.frameLocator("iframe").getByRole("heading").innerText()).toBe("Hello Zoë,");
    expect(await page.frames()[1]?.evaluate("document.images[0].naturalWidth")).toBe(48);
    const timeline = "created|deferred|delivered|opened 3 times|clicked once";
    expect(await page.locator("#timeline b").allInnerTexts()).toEqual(timeline.split("|"));
    expect(await page.locator("#timeline code").first().innerText()).toContain("451 4.7.1 Greylisted");
  });

  test("works with the keyboard alone", async () => {
    const { page } = await openPage();

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
    const { page } = await openPage();
    const save = async (name: string): Promise<Buffer> => {
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      return readFile(await (await saved).path());
    };
    await page.getByText("Raw email").click();

    const [logo, raw] = [await save("Download logo.png"), await save("Download email.eml")];

    const file = "../../../infra/local/demo/welcome-html-with-logo.eml";
    const eml = await readFile(new URL(file, import.meta.url));
    expect(raw.equals(eml)).toBe(true);
    expect(eml.toString().replaceAll(/\s/g, "")).toContain(logo.toString("base64"));
  });

  test("shows any message of any account by id and key, and the API's error for a wrong one", async () => {
    const { page } = await openPage();
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
    await expect.poll(() => page.locator("#state").textContent(), { timeout }).toBe("401: Invalid API key");
  });

  test.each([
    ["desktop", "light", desktop],
    ["desktop", "dark", desktop],
    ["phone", "light", phone],
    ["phone", "dark", phone],
  ] as const)(
    "has no violation of axe-core, and no text wider than the screen: %s, %s",
    async (_, colorScheme, device) => {
      const { page } = await openPage({ ...device, colorScheme });
      for (const summary of await page.locator("summary").all())
        if (await summary.isVisible()) await summary.click();
      await page.locator("#raw pre").waitFor();

      await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8"));
      const found = await page.evaluate(
        "axe.run(document, { iframes: false }).then(({ violations }) => violations)",
      );

      expect(found).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(device.viewport?.width);
    },
  );

  test.runIf(process.env.PICTURE)("makes the picture of README", async () => {
    const { page } = await openPage({ ...desktop, timezoneId: "UTC" });

    await page.screenshot({ path: process.env.PICTURE ?? "" });
  });
});

describe("Hostile emails", () => {
  /** Runs steps in a browser of their own. Returns the emails whose hosts the browser's network log names. */
  const contacted = async (steps: (context: BrowserContext) => Promise<void>): Promise<string[]> => {
    const log = join(temporaryFolder(), "network.json");
    const resolver = "--host-resolver-rules=MAP *.evil.test ~NOTFOUND";
    const own = await launchChromium(`--log-net-log=${log}`, resolver);
    await steps(await own.newContext(desktop)).finally(() => own.close());
    const events = JSON.stringify(JSON.parse(await readFile(log, "utf8")).events);
    return hostileEmails.filter((_, index) => events.includes(hostOf(index))).map(({ name }) => name);
  };
  /** Clicks the element that an email wants clicked. Gives requests the time to leave. */
  const clickAndSettle = async (page: Page, clickable: Locator): Promise<void> => {
    if (await clickable.isVisible()) await clickable.click({ noWaitAfter: true, force: true });
    await page.waitForTimeout(300);
  };

  test("contact other servers if a page shows them without protection", async () => {
    const server = createServer(({ url = "" }, response) =>
      response.setHeader("Content-Type", "text/html").end(hostileEmails[Number(url.slice(1))]?.html),
    );
    const port = await listen(server);

    const requested: string[] = [];
    const logged = await contacted(async (context) => {
      for (const [index, { name }] of hostileEmails.entries()) {
        const predicate = (request: Request) => new URL(request.url()).host === hostOf(index);
        const request = context.waitForEvent("request", { predicate, timeout });
        const contact = request.then(
          () => requested.push(name),
          () => {},
        );
        const page = await context.newPage(); // An email may navigate its page at any later time.
        await page.goto(`http://127.0.0.1:${port}/${index}`, { waitUntil: "commit" });
        await clickAndSettle(page, page.getByText("Click", { exact: true }));
        await page.evaluate("document.body.innerHTML += ''").catch(() => {}); // a second parse
        await contact;
      }
    });

    expect(requested).toEqual(hostileEmails.map(({ name }) => name));
    // The second parse may cancel a request before the browser logs the request.
    expect(logged.length).toBeGreaterThanOrEqual(30);
  });

  test("run no script, load nothing, and leave the page as it is", async () => {
    const files = hostileEmails.map((email, index) => [`${index}.eml`, rawEmail(email, index)]);
    const folder = folderOf(Object.fromEntries(files));
    const { url } = await startLocal({}, ["node", "infra/local/main.ts", "--seed", folder]);
    const events: string[] = [];
    const shownEmails: string[] = [];

    const names = await contacted(async (context) => {
      const page = await context.newPage();
      page.on("dialog", () => events.push("dialog"));
      page.on("popup", () => events.push("popup"));
      await page.goto(`${url}/messages`);
      const links = page.locator("#list a", { hasText: "Hostile" });
      await expect.poll(() => links.count(), { timeout }).toBe(hostileEmails.length);
      for (const link of await links.all()) {
        const subject = (await link.locator("b").textContent()) ?? "";
        await link.click();
        await shown(page, subject);
        await clickAndSettle(page, page.frameLocator("iframe").getByText("Click", { exact: true }));
        for (const frame of page.frames())
          if (await frame.evaluate("document.documentElement.dataset.ran"))
            events.push(`${subject} ran a script`);
        expect(page.url()).toContain(`${url}/messages#`);
        const index = Number(/\d+/.exec(subject)?.[0]);
        if (hostileEmails[index]?.name === "an image")
          expect(await page.locator("#remote").textContent()).toContain(hostOf(index));
        expect(page.frames().length, subject).toBe(2);
        shownEmails.push(subject);
      }
      expect(await page.title()).toContain("· Messages");
    });

    expect({ names, events }).toEqual({ names: [], events: [] });
    expect(shownEmails).toHaveLength(hostileEmails.length);
  });

  test("reach nothing of the page from their frame", async () => {
    const { page } = await openPage();
    const frame = page.frames()[1];
    const attempt = (code: string) =>
      frame?.evaluate(`(() => { try { return String(${code}); } catch (error) { return error.name; } })()`);

    expect(await attempt("parent.document.body.innerHTML")).toBe("SecurityError");
    expect(await attempt("parent.location.href")).toBe("SecurityError");
    expect(await attempt("localStorage.length")).toBe("SecurityError");
    expect(await attempt("origin")).toBe("null");
    expect(await attempt("document.referrer")).toBe("");
  });
});

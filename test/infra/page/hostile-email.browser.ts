/** Emails that attack the page /messages, or its reader. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { BrowserContext, Locator, Page, Request } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { desktop, openPage, openRow, rows, shown } from "../../harness/desk.ts";
import { listen } from "../../harness/listen.ts";
import { startLocal } from "../../harness/process.ts";
import { folderOf, temporaryFolder } from "../../harness/temporary-folder.ts";
import { hostileEmails, hostOf, rawEmail } from "./hostile-email.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const timeout = 60_000;

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
  const clickAndSettle = async (page: Page, clickable: Locator, options = {}): Promise<void> => {
    if (await clickable.isVisible()) await clickable.click({ noWaitAfter: true, force: true, ...options });
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
      const links = rows(page, "Hostile");
      await expect.poll(() => links.count(), { timeout }).toBe(hostileEmails.length);
      const found = await links.evaluateAll((nodes) =>
        nodes.map((node) => ({ href: node.getAttribute("href"), subject: node.querySelector("b")?.textContent ?? "" })),
      );
      for (const { href, subject } of found) {
        await page.goto(`${url}/messages${href}`);
        await shown(page, subject);
        const click = page.frameLocator("iframe").getByText("Click", { exact: true });
        const ways = [{}, { modifiers: ["Control"] }, { button: "middle" }];
        for (const way of (await click.isVisible()) ? ways : []) await clickAndSettle(page, click, way);
        await page.waitForTimeout(300);
        for (const frame of page.frames())
          if (await frame.evaluate("document.documentElement.dataset.ran")) events.push(`${subject} ran a script`);
        expect(page.url()).toContain(`${url}/messages#`);
        const index = Number(/\d+/.exec(subject)?.[0]);
        if (hostileEmails[index]?.name === "an image")
          expect(await page.locator("#remote").textContent()).toContain(hostOf(index));
        expect(page.frames().map((frame) => frame.url())).toEqual([page.url(), "about:srcdoc"]);
        shownEmails.push(subject);
      }
      expect(await page.title()).toContain("· Desk");
    });

    expect({ names, events }).toEqual({ names: [], events: [] });
    expect(shownEmails).toHaveLength(hostileEmails.length);
  });

  test("run no script in their frame, not even with the page's own nonce", async () => {
    const { page } = await openPage(browser);
    await openRow(page, "Welcome to Example Post, Zoë! 🎉");
    const nonce = await page.evaluate("document.querySelector('script[nonce]').nonce");

    await page.frames()[1]?.evaluate(`(() => {
      const script = Object.assign(document.createElement("script"), { nonce: "${nonce}" });
      script.textContent = "parent.document.title = 'ran'";
      document.body.append(script);
    })()`);

    expect(nonce).toMatch(/^[\w+/]{22}==$/);
    expect(await page.title()).not.toBe("ran");
    expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-same-origin");
  });
});

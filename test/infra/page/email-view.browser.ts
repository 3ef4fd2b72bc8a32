/** How the page /messages shows the parts of an email. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../harness/chromium.ts";
import { copied, desktop, emailOf, openEmail, openPage, openRow, phone, rows } from "../../harness/desk.ts";
import { run } from "../../harness/process.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const part = (type: string, body: string): string => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const multipart = (subject: string, kind: string, ...parts: string[]): string =>
  emailOf(subject, `Content-Type: multipart/${kind}; boundary=b`, "", ...parts, "--b--");
const html = (subject: string, body: string): string =>
  emailOf(subject, "Content-Type: text/html; charset=utf-8", "", body);

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = part("image/png\r\nContent-Transfer-Encoding: base64", dot);

/** The elements of the email in their order, as `PRE`, `IMG` or `DIV` for a frame. */
const shownParts = (page: Page): Promise<string[]> =>
  page.locator("#part > *").evaluateAll((nodes) => nodes.map(({ nodeName }) => nodeName));

describe("Nothing of an email is hidden:", () => {
  test("a text body stays beside an HTML footer", async () => {
    const email = multipart("Body", "mixed", part("text/plain", "The body"), part("text/html", "<p>Footer"));

    const { page } = await openEmail(browser, email);

    expect(await shownParts(page)).toEqual(["PRE", "DIV"]);
    expect(await page.locator("#part pre").innerText()).toContain("The body");
    expect(await page.frameLocator("iframe").locator("p").innerText()).toBe("Footer");
  });

  test("HTML replaces its own alternative, which a click shows", async () => {
    const email = multipart("Both", "alternative", part("text/plain", "Text"), part("text/html", "<p>Rich"));

    const { page } = await openEmail(browser, email);
    expect(await shownParts(page)).toEqual(["DIV"]);
    await page.getByLabel("Text", { exact: true }).click();

    await expect.poll(() => shownParts(page)).toEqual(["PRE"]);
  });

  test("a text of 1 MB is an excerpt in the page, and whole in its file", async () => {
    const text = "All is well with your order.\r\n".repeat(40_000);
    const { page } = await openEmail(browser, emailOf("Long text", "Content-Type: text/plain", "", text));
    expect((await page.locator("#part pre").textContent())?.length).toBe(60_000);
    expect(await page.locator("#note").textContent()).toContain("This is the first 60KB of 1.2MB.");

    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download part-1.txt" }).click();

    expect(await readFile(await (await saved).path(), "latin1")).toBe(text);
  });

  test("text, picture and text are shown in their order, and a picture alone is shown, too", async () => {
    const before = part("text/plain", "Before");

    const { page } = await openEmail(browser, multipart("Apple", "mixed", before, picture, before));

    expect(await shownParts(page)).toEqual(["PRE", "IMG", "PRE"]);
    await expect.poll(() => page.evaluate("document.querySelector('#part img').naturalWidth")).toBe(1);
  });

  test("pictures are shown up to 8 MB of base64 together, and each one beyond is named", async () => {
    const large = Buffer.concat([Buffer.from(dot, "base64"), Buffer.alloc(4_500_000)]).toString("base64");
    const one = part('image/png; name="one.png"\r\nContent-Transfer-Encoding: base64', large);

    const { page } = await openEmail(browser, multipart("Holiday", "mixed", one, one.replace("one", "two"), picture));

    expect(await shownParts(page)).toEqual(["IMG", "P", "IMG"]);
    expect(await page.locator("#part p").textContent()).toMatch(/^two.png: .* or it is too large\.$/);
  });

  test("an attached email and a calendar file open in the page, with a way back", async () => {
    const innermost = part("message/rfc822", html("Innermost subject", "<p>Innermost text"));
    const around = multipart("Inner subject", "mixed", part("text/html", "<p>Inner text"), innermost);
    const inner = around.replaceAll("boundary=b", "boundary=c").replaceAll("--b", "--c");
    const calendar = part("text/calendar; name=tea.ics", "SUMMARY:Tea");
    const outer = multipart("Outer", "mixed", part("text/plain", "See"), part("message/rfc822", inner), calendar);
    const { page } = await openEmail(browser, outer);

    await page.getByRole("button", { name: "Open attachment-1.eml" }).click();
    expect(await page.frameLocator("iframe").locator("p").innerText()).toBe("Inner text");
    expect(await page.locator("#inside").innerText()).toContain("Inner subject");
    const text = page.frameLocator("iframe").locator("p");
    const openInnermost = async () => {
      await page.getByRole("button", { name: "Open attachment-1.eml" }).click();
      await expect.poll(() => text.innerText()).toBe("Innermost text");
    };
    await openInnermost();
    await page.goBack();
    await expect.poll(() => text.innerText()).toBe("Inner text");
    await openInnermost();
    await page.evaluate("history.go(-2)");
    await expect.poll(() => page.locator("#part").innerText()).toMatch(/^See\s*$/);
    expect(await page.locator("#inside").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Open attachment-1.eml" }).click();
    await page.getByRole("button", { name: "Back to the email" }).click();
    await page.getByRole("button", { name: "Open tea.ics" }).click();

    await expect.poll(() => page.locator("#part").innerText()).toContain("SUMMARY:Tea");
  });

  test("many parts, many files, and addresses of many people, each with a name and a count", async () => {
    const types = [
      ...[
        "text/plain",
        "text/csv",
        "text/calendar",
        "text/rfc822-headers",
        "message/rfc822",
        "message/delivery-status",
      ],
      ...["image/jpeg", "image/svg+xml", "application/pdf", "application/x-gzip", "application/vnd.ms-excel"],
    ];
    const files = types.map((type) => part(`${type}\r\nContent-Disposition: attachment`, "x"));
    const named = part('application/octet-stream; name="../a:b?.pdf"', "x");
    const to = 'To: "Roe, Bob" <bob@example.org>, carol@example.org, dan@example.org';
    const emails = {
      "parts.eml": multipart("Parts", "mixed", ...Array(101).fill(part("text/plain", "x"))),
      "files.eml": multipart("1/2: Files", "mixed", ...files, named).replace("To: bob@example.org", to),
      "picture.eml": multipart("Picture", "mixed", part('image/tiff; name="scan.tiff"', "x"), part("text/plain", "x")),
    };
    const { page } = await openPage(browser, { ...desktop, args: ["--seed", folderOf(emails)] });

    await openRow(page, "Picture");
    await expect.poll(() => shownParts(page)).toEqual(["P", "PRE"]);
    expect(await page.locator("#part p").textContent()).toContain("can't show a picture of type image/tiff");
    expect(await page.locator("#attachments h2").innerText()).toBe("Attachments · 1 · 3B");
    expect(await page.locator("#attachments .soft").first().innerText()).toBe("image/tiff, 3B");
    await page.locator("#back").click();
    await openRow(page, "Parts");
    expect(await shownParts(page)).toHaveLength(100);
    expect(await page.locator("#note").textContent()).toBe("These are the first 100 of 101 parts. ");
    expect(await page.locator("#attachments").isVisible()).toBe(false);
    await page.locator("#back").click();
    await openRow(page, "1/2: Files");
    const endings = ["txt", "csv", "ics", "txt", "eml", "txt", "jpg", "svg", "pdf", "gzip", "bin"];
    expect(await page.locator("#attachments b").allInnerTexts()).toEqual([
      ...endings.map((ending, index) => `attachment-${index + 1}.${ending}`),
      ".._a_b_.pdf",
    ]);
    expect(await page.locator("#attachments h2").innerText()).toBe("Attachments · 12 · 36B");
    expect(await page.locator("#attachments.many .soft").first().innerText()).toBe("3B");
    expect(await page.getByRole("button", { name: /^Open / }).count()).toBe(6); // text and messages
    expect(await page.locator("#people").innerText()).toMatch(/To\s+"Roe, Bob" <bob@example\.org>\s+\+2\s/);
    await page.locator("#people summary").click();
    expect(await page.locator("#people details").innerText()).toContain("carol@example.org, dan@example.org");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save .eml" }).click();
    expect((await saved).suggestedFilename()).toBe("1_2_ Files.eml");
  });
});

describe("An email looks as its sender meant it:", () => {
  const wide = '<body style="background: #063"><table width=900><tr><td>left<td>1,234.56<td align=right>right</table>';

  test.each([
    ["desktop", desktop],
    ["phone", phone],
  ])("a wide email fits the screen, and its background fills the frame: %s", async (_, device) => {
    const { page } = await openEmail(browser, html("Wide", wide), device);

    const frame = page.locator("#part iframe");
    const [box, outer] = await Promise.all([frame.boundingBox(), page.locator(".frame").boundingBox()]);
    expect(box?.width).toBeLessThanOrEqual((outer?.width ?? 0) + 1);
    expect(box?.height).toBeLessThanOrEqual((outer?.height ?? 0) + 1);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(device.viewport?.width);
    const root = await page.frames()[1]?.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    expect(root).toBe("rgba(0, 0, 0, 0)");
    expect(await page.frames()[1]?.evaluate("getComputedStyle(document.body).overflowWrap")).toBe("break-word");
  });

  test("a link shows its address beside its text, and leads nowhere", async () => {
    const links =
      '<a href="https://a.example/">Shop</a><svg><a xlink:href="https://b.example/"><text>x</text></a></svg>' +
      '<a href="https://c.example/">https://c.example</a><a href="#top">Top</a><i title="https://d.example/">i</i>' +
      '<img srcset="https://e.example/1.png 1x, //e.example/2.png 2x"><p style="background: url(https://f.example/)">' +
      "<p style='background: url(\"https://g.example/\")'>";

    const { page } = await openEmail(browser, html("Links", links));

    const frame = page.frameLocator("iframe");
    expect(await frame.locator("body").innerText()).toContain("https://a.example/");
    expect(await frame.locator("body").innerText()).toContain("https://b.example/");
    expect(await frame.locator("[href], [ping]").count()).toBe(0);
    const labels = frame.locator(".link-address-of-this-page");
    expect(await labels.allInnerTexts()).toEqual(["https://a.example/", "https://b.example/"]);
    const listed = async (id: string) => [
      await page.locator(`${id} summary`).textContent(),
      ...(await page.locator(`${id} li`).allTextContents()),
    ];
    expect(await listed("#links")).toEqual([
      "Links, which are off; a click copies the address: 3",
      "https://a.example/",
      "https://b.example/",
      "https://c.example/",
    ]);
    expect(await listed("#remote")).toEqual([
      "Remote images and files, not loaded: 4",
      "https://e.example/1.png",
      "//e.example/2.png",
      "https://f.example/",
      "https://g.example/",
    ]);
    expect(await page.locator("#note").textContent()).toMatch(/^Scripts, forms and links are off\./);
    const heightAt = async (width: number) => {
      await page.setViewportSize({ width, height: 800 });
      return (await page.locator(".frame").boundingBox())?.height ?? 0;
    };
    const narrow = await heightAt(320);
    expect(await heightAt(1200)).toBeLessThan(narrow);
  });

  test("a click on an address in text copies it", async () => {
    const text = emailOf(
      "Copy",
      "Content-Type: text/plain",
      "",
      "See https://example.com/x?y=1. Or ask help@example.com.",
    );
    const { page } = await openEmail(browser, text);
    const addresses = ["https://example.com/x?y=1", "help@example.com"];
    expect(await page.locator("#part .address").allInnerTexts()).toEqual(addresses);
    expect(await page.locator("#part").innerText()).toBe("See https://example.com/x?y=1. Or ask help@example.com.");

    await page.getByRole("button", { name: "https://example.com/x?y=1" }).click();

    await expect.poll(() => copied(page)).toBe("https://example.com/x?y=1");
  });
});

describe("HTML that would freeze the page", () => {
  test("is shown as text, with the reason", async () => {
    const open = Array.from({ length: 200 }, (_, index) => `<b id=${index}>`).join("");
    const email = html(
      "Freeze",
      `<style>p {}</style><p>1 &lt; 2 &amp;lt; &quot;3&quot;<p>${open}${"<p>word".repeat(2000)}`,
    );

    const { page } = await openEmail(browser, email);

    expect(await page.locator("#note").textContent()).toMatch(/more than 20,000 elements.*you see its text/);
    expect(await page.locator("#part pre").innerText()).toMatch(/^\s*1 < 2 &lt; "3"\s+word\s+word\s/);
    expect(await page.locator("iframe").count()).toBe(0);
  });

  test("is shown, if only its names collide with properties that the page uses", async () => {
    const names = ["querySelectorAll", "getElementsByTagName", "documentElement", "write", "close", "open"];
    const fields = ["attributes", "removeAttribute", "localName", "outerHTML", "closest", "remove"];
    const clobbered = `${names.map((name) => `<img name=${name}>`).join("")}<form>${fields.map((name) => `<input name=${name}>`).join("")}</form><p>End`;

    const { page } = await openEmail(browser, html("Clobbered", clobbered));

    expect(await page.frameLocator("iframe").locator("p").innerText()).toBe("End");
  });
});

describe("The page says what is true:", () => {
  test("an email without text, an unknown address, a message that doesn't exist", async () => {
    const { page, url, service } = await openEmail(
      browser,
      multipart("Nothing", "mixed", part("application/pdf", "x")),
    );
    expect(await page.locator("#note").textContent()).toBe("This email has no text, only attachments.");
    expect(await page.locator("#attachments").innerText()).toContain("attachment-1.pdf");

    await page.goto(`${url}/messages#nonsense`);
    await expect.poll(() => page.locator("#state").textContent()).toContain("This address names no message");
    expect(await page.title()).toBe("Desk");
    const [, account] = /accounts\/([\da-f-]+)/.exec(service.output) ?? [];
    await page.goto(`${url}/messages#${account}/00000000-0000-4000-8000-000000000000`);
    await expect.poll(() => page.locator("#state").textContent()).toContain("404: Message not found. It never");
  });

  test("an email that can't be parsed, and a message without an email", async () => {
    const nested = Array.from(
      { length: 200 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=${depth}\r\n\r\n--${depth}`,
    );
    const { page, service } = await openEmail(browser, emailOf("Too deep", ...nested));
    await expect
      .poll(() => page.locator("#note").textContent())
      .toMatch(/^The content can't be parsed, .+ is the raw email\.$/);
    await expect.poll(() => page.locator("#raw pre").innerText()).toContain("Subject: Too deep");

    const [account_id, id] = [/#([^/]+)/.exec(page.url())?.[1], randomUUID()];
    const message = {
      ...{ id, domain_id: randomUUID(), direction: "outgoing", message_id: "<1@x.example>", subject: "", tags: ["x"] },
      ...{ sender: "a@x.example", recipient: "b@y.example", status: "sent", sent_at: null, delivered_at: null },
      retain_until: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const event = { id: "stored", type: "message.stored", account_id, message, raw_email: null };
    const [, command = ""] = /\| (.*record-events.*)$/m.exec(service.output) ?? [];
    expect(await run(command, { input: JSON.stringify(event) })).toMatchObject({ status: 0 });
    await page.evaluate(`location.hash = "#${account_id}/${id}"`);
    await expect
      .poll(() => page.locator("#note").textContent())
      .toMatch(/^The content isn't there: it was removed, or /);

    expect(await page.title()).toBe("No subject · Desk");
    expect(await page.locator("#chips span").allInnerTexts()).toEqual(["sent", "outgoing", "x"]);
    expect(await page.locator("#people").innerText()).toMatch(/From\s+a@x\.example\s+To\s+b@y\.example\s+Deleted on/);
    expect(await page.locator("#raw pre").isVisible()).toBe(false);
    await page.getByText("Raw email", { exact: true }).click();
    await expect.poll(() => page.locator("#raw pre").textContent()).toMatch(/^This message has no raw email: /);
    await page.getByRole("button", { name: "Save .eml" }).click();
    await expect.poll(() => page.locator("#state").textContent()).toMatch(/^404: This message has no raw email: /);
  });

  test("a server that has ended", async () => {
    const { page, service } = await openEmail(browser, html("Last", "x"));
    service.child.kill();
    await service.ended;

    await page.getByRole("button", { name: "Save .eml" }).click();

    await expect.poll(() => page.locator("#state").textContent()).toContain("can't be reached");
  });
});

test("In print, an email has its full height, and neither sidebar nor buttons", async () => {
  const { page } = await openEmail(browser, html("Long", "<p>line".repeat(200)));

  await page.emulateMedia({ media: "print" });

  const inner = await page.frames()[1]?.evaluate("document.documentElement.scrollHeight");
  const outer = page.locator(".frame");
  await expect.poll(() => outer.evaluate((node) => node.clientHeight)).toBeGreaterThanOrEqual(Number(inner));
  expect(await page.locator("#find").isVisible()).toBe(false);
  expect(await page.locator("#printed").innerText()).toMatch(
    /^Message [\da-f-]{36}, account .+ Times in UTC\. Read on .+ from this machine\.$/,
  );
  expect(await page.getByRole("button").count()).toBe(0);
});

test("An imported message appears without a reload, and words find it", async () => {
  const { page, service } = await openPage(browser);
  const [, command = ""] = /^(.*import-message.*) my\.eml$/m.exec(service.output) ?? [];

  const input = html("Second", "y").replace(/^To: .*\r\n/m, "");
  const { stdout } = await run(`${command} --recipient hidden@example.org -`, { input });

  await rows(page, "Second").waitFor();
  const query = page.getByRole("searchbox");
  await query.fill(stdout.split(" ")[0] ?? "");
  await expect.poll(() => rows(page).count()).toBe(1);
  await query.fill("no such message");
  await expect.poll(() => page.locator("#rows").innerText()).toContain("No message matches.");
  await query.fill("");
  await openRow(page, "Second");
  expect(await page.locator("#people").innerText()).toMatch(/Envelope\s+ada@example\.com → hidden@example\.org/);
});

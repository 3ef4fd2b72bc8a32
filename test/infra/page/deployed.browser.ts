/** The desk of a deployed table: `npm start -- --table`. The embedded engine of another `npm start` is the table. */
import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { localEnvironment } from "../../../infra/cli/local-environment.ts";
import { freePort } from "../../../infra/local/engine.ts";
import { launchChromium } from "../../harness/chromium.ts";
import { copied, desktop, openRow, rows, shown, violationsOf } from "../../harness/desk.ts";
import { run, type Service, startLocal } from "../../harness/process.ts";

const browser = await launchChromium();
afterAll(() => browser.close());

const permissions = ["clipboard-read", "clipboard-write"];
const welcome = "Welcome to Example Post, Zoë! 🎉";

const startTable = async () => {
  const port = await freePort();
  await startLocal({ DYNAMODB_PORT: String(port) });
  const { TABLE_NAME, ...environment } = localEnvironment(port);
  const startDesk = (PORT = "0", name = TABLE_NAME): Promise<Service> =>
    startLocal({ ...environment, PORT }, ["node", "infra/local/main.ts", "--table", name]);
  return { environment, startDesk };
};

const addressOf = ({ output }: Service): string => /^http\S+#token=\S+$/m.exec(output)?.[0] ?? "";

test("The printed address opens the desk without a customer's key, and no copied link has the token", async () => {
  const { startDesk } = await startTable();
  const desk = await startDesk();
  const context = await browser.newContext({ ...desktop, permissions });
  const page = await context.newPage();

  await page.goto(addressOf(desk));
  await page.getByText("Type the address of a person.").waitFor();
  expect(page.url()).toBe(`${desk.url}/messages`);
  await page.getByRole("searchbox").fill("Zoe@example.org");
  await page.keyboard.press("Enter");
  await openRow(page, welcome);

  expect(await page.locator(".bar").innerText()).toMatch(/email-api\s+local · read only · times in/);
  expect(await page.locator("#env").getAttribute("class")).toBe("env deployed");
  for (const name of ["Copy link", "Copy for engineering", "Copy curl command"]) {
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.getByRole("button", { name, exact: true }).click();
    await expect.poll(() => copied(page)).not.toBe("");
    expect(await copied(page)).not.toContain(/token=(.+)/.exec(addressOf(desk))?.[1]);
  }
  expect(await copied(page)).toContain("$API_URL");
  const other = await (await browser.newContext()).newPage(); // another user of this machine
  await other.goto(`${desk.url}/messages?q=zoe@example.org`);
  await other.getByText("401: ").waitFor();
  expect(await rows(other).count()).toBe(0);
  expect((await fetch(`${desk.url}/v2/accounts/${randomUUID()}/messages/${randomUUID()}`)).status).toBe(404);
});

test("After a restart, an open tab says what to do, and goes on when the new address is open in it or in another", async () => {
  const { startDesk } = await startTable();
  const first = await startDesk();
  const context = await browser.newContext(desktop);
  const page = await context.newPage();
  await page.goto(addressOf(first));
  await page.getByRole("searchbox").fill("zoe@example.org");
  await page.keyboard.press("Enter");
  await rows(page, welcome).waitFor();
  const message = await rows(page, welcome).first().getAttribute("href");
  const other = await browser.newPage(desktop);
  await other.goto(addressOf(first));
  first.child.kill();
  await first.ended;
  const second = await startDesk(new URL(first.url).port);

  await page.getByRole("button", { name: "Search", exact: true }).click();
  const refused = "Open the address that npm start printed; this tab then goes on";
  await page.getByText(refused).waitFor();
  const reader = await context.newPage();
  await reader.goto(`${second.url}/messages${message}`);
  await reader.getByText(refused).waitFor();
  const fresh = await context.newPage();
  await fresh.goto(addressOf(second));

  await rows(page, welcome).waitFor();
  await shown(reader, welcome);
  await other.goto(addressOf(second));
  await other.waitForURL(`${second.url}/messages`);
  expect(await other.locator("#state").textContent()).toBe("");
  await other.getByRole("searchbox").fill("zoe@example.org");
  await other.keyboard.press("Enter");
  await rows(other, welcome).waitFor();
});

test("An open search of a deployed table is read again every 30 seconds, because each read costs money", async () => {
  const { startDesk } = await startTable();
  const page = await browser.newPage(desktop);
  let reads = 0;
  page.on("request", (request) => {
    if (request.url().includes("/messages/search")) reads++;
  });
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  await page.goto(addressOf(await startDesk()));
  await page.getByRole("searchbox").fill("zoe@example.org");
  await page.keyboard.press("Enter");
  await page.clock.runFor(1000);
  await rows(page, welcome).waitFor();
  expect(reads).toBe(1);

  await page.clock.runFor(28_000);
  expect(reads).toBe(1);
  await page.clock.runFor(2000);
  await expect.poll(() => reads).toBe(2);
});

test("A table that doesn't exist is said in a sentence, with a way to try again", async () => {
  const { startDesk } = await startTable();
  const desk = await startDesk("0", "no-such-table");
  const page = await browser.newPage(desktop);

  await page.goto(addressOf(desk));
  await page.getByRole("searchbox").fill("zoe@example.org");
  await page.keyboard.press("Enter");

  await page.getByText("503: There is no table named no-such-table").waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test("--stage looks the table up, and says which stack it can't read", async () => {
  const variables = { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_REGION: "eu-central-1" };
  const keys = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" };

  const ended = await run("PORT=0 node infra/local/main.ts --stage dev", { variables: { ...variables, ...keys } });

  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain("--stage dev: the stack EmailApi-dev can't be read: ");
});

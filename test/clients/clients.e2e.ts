/** `npm run test:clients`: generates clients from the OpenAPI document, and calls both operations with each client. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApiDocument } from "../../infra/openapi/document.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { sha256 } from "../../lib/table/keys.ts";
import { newKey, newMessage, noon, startService, table } from "../harness/service.ts";

const sources = join(import.meta.dirname, "generators");
const generators = readdirSync(sources, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const manifests = join(import.meta.dirname, "tools");
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "email-api");
/** A change of a manifest or of the install script leads to another folder, and so to another installation. */
const all = readdirSync(manifests).map((file) => readFileSync(join(manifests, file), "utf8"));
const tools = join(cache, `generators-${sha256(all.join("\n")).slice(0, 8)}`);
let clients: string;

/** Runs a shell script. Throws an error with its output if a command fails. */
const shell = (cwd: string, script: string, variables: Record<string, string> = {}): Promise<string> => {
  const env = { ...process.env, TOOLS: tools, DOCUMENT: "../../openapi.json", ...variables };
  return promisify(execFile)("sh", ["-euc", script], { cwd, env, maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => Promise.reject(new Error(`${script}\n${stdout}\n${stderr}`)),
  );
};

const install = async (): Promise<void> => {
  console.log("Installing the generators, once (about 5 minutes) …");
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, "installing-"));
  await cp(manifests, unfinished, { recursive: true });
  await shell(unfinished, "sh install.sh");
  await rename(unfinished, tools);
};

beforeAll(async () => {
  if (!existsSync(tools)) await install();
  clients = await mkdtemp(join(tools, "clients-")); // below `tools`, so that Node.js finds the packages there
  await cp(sources, join(clients, "generators"), { recursive: true });
  await writeFile(join(clients, "openapi.json"), JSON.stringify(openApiDocument()));
});
afterAll(() => rm(clients, { recursive: true, force: true }));

test.each(generators)("A generated client calls both operations: $name", async ({ name }) => {
  const { account_id, secret } = await newKey();
  const message = newMessage({ account_id, tags: ["welcome"] });
  const bounce = newMessage({ account_id, reference_message_id: 9_007_199_254_740_993n }); // 2^53 + 1
  await storeMessage(table, message, Buffer.from("Content-Type: text/html\r\n\r\n<p>Grüße</p>"), noon);
  await storeMessage(table, bounce, null, noon);

  const output = await shell(join(clients, "generators", name), ". ./run.sh", {
    API_URL: await startService(),
    API_KEY: secret,
    ACCOUNT_ID: account_id,
    MESSAGE_ID: message.id,
    BOUNCE_ID: bounce.id,
  });

  expect(JSON.parse(output)).toEqual({
    subject: "Hello",
    createdAt: noon,
    texts: ["<p>Grüße</p>"],
    nulls: [null, null, null],
    referenceMessageId: "9007199254740993",
    selected: ["sent", ["welcome"], "absent"],
    role: "Billing Manager",
    replayed: true,
    failures: [
      [404, "Message not found"],
      [409, "The user is already a member of this account"],
      [422, "The idempotency key was already used with a different request"],
    ],
  });
});

test.each([
  "redocly lint --config $LINT/redocly.yaml openapi.json",
  "spectral lint --ruleset $LINT/spectral.yaml --fail-severity hint openapi.json",
])("%s finds no fault that the configuration does not explain", async (command) => {
  const LINT = join(import.meta.dirname, "lint");
  await shell(clients, `$TOOLS/node_modules/.bin/${command}`, { LINT, REDOCLY_TELEMETRY: "off" });
});

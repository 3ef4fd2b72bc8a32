/** Programs that people read responses with decode each of them: httpx, requests, aiohttp, curl, Node.js and `zstd -d`. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { messageFields } from "../../lib/messages/fields.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { sha256 } from "../../lib/table/keys.ts";
import { generatedEmail } from "../harness/generated-email.ts";
import { run } from "../harness/process.ts";
import { bearer, newKey, newMessage, noon, startService, table } from "../harness/service.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sources = join(import.meta.dirname, "decoders");
const requirements = join(sources, "requirements.txt");
const python = join(
  projectRoot,
  `node_modules/.cache/decoders-${sha256(readFileSync(requirements, "utf8")).slice(0, 8)}`,
);

beforeAll(async () => {
  if (existsSync(python)) return;
  const variables = process.env;
  const installed = await run(`python3 -m venv ${python} && ${python}/bin/pip install -q -r ${requirements}`, {
    variables,
  });
  if (installed.status === 0) return;
  await rm(python, { recursive: true, force: true });
  throw new Error(installed.stderr);
});

/** Emails of up to 1.5 MB: httpx failed on those between 81 KB and 1.4 MB whose frame was not the only one. */
const email = fc
  .tuple(generatedEmail, fc.double({ min: 3, max: 6.2, noNaN: true }))
  .map(([{ bytes }, size]) => Buffer.concat([bytes, Buffer.from(randomBytes(10 ** size).toString("base64"))]));
const subject = fc.constantFrom("Hello", "Grüße 🌍".repeat(8_000));
const fields = fc.option(fc.subarray([...messageFields], { minLength: 1 }));
const asked = fc.oneof(fields, fc.subarray(["content", "content_parsed", "subject"], { minLength: 1 }));

test("Each program decodes 600 responses with random fields of random emails", { timeout: 0 }, async () => {
  const { secret, account_id } = await newKey();
  const url = await startService();
  const urls: string[] = [];
  for (const [raw, long, queries] of fc.sample(
    fc.tuple(email, subject, fc.array(asked, { minLength: 10, maxLength: 10 })),
    60,
  )) {
    const message = newMessage({ account_id, subject: long });
    await storeMessage(table, message, raw, noon);
    const path = `${url}/v2/accounts/${account_id}/messages/${message.id}`;
    urls.push(...queries.map((query) => (query ? `${path}?fields=${query}` : path)));
  }
  const digests: string[] = [];
  for (const each of urls) {
    const plain = await fetch(each, { headers: { ...bearer(secret), "Accept-Encoding": "identity" } });
    digests.push(
      createHash("sha256")
        .update(Buffer.from(await plain.arrayBuffer()))
        .digest("hex"),
    );
  }
  const folder = temporaryFolder();
  writeFileSync(join(folder, "urls"), `${urls.join("\n")}\n`);

  const decode = async (command: string) => {
    const ended = await run(`cd ${folder} && ${command} urls`, { variables: { API_KEY: secret } });
    const lines = ended.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    const wrong = urls.filter((_, index) => lines[index]?.[1] !== digests[index]);
    return { stderr: ended.stderr, wrong, zstd: lines.filter(([coding]) => coding === "zstd").length };
  };

  for (const command of [
    `${python}/bin/python ${sources}/httpx_client.py`,
    `${python}/bin/python ${sources}/requests_client.py`,
    `${python}/bin/python ${sources}/aiohttp_client.py`,
    `node ${sources}/node-client.mjs`,
    `sh ${sources}/curl.sh`,
    `sh ${sources}/zstd.sh`,
  ]) {
    const { zstd, ...outcome } = await decode(command);
    console.log(`${command}: ${urls.length - outcome.wrong.length} of ${urls.length} decoded, ${zstd} of them zstd`);
    expect(outcome).toEqual({ stderr: "", wrong: [] });
    expect(zstd).toBeGreaterThan(300);
  }
});

/**
 * What is deployed and published, as a whole. The other tests say what must be so; these show a reviewer everything that a
 * change or an upgrade of CDK alters, as a change of a recorded file. `npm run test:infra -- recorded -u` records anew.
 */
import { expect, test } from "vitest";
import { eventSchema } from "../../infra/event-schema/schema.ts";
import { startupMessage } from "../../infra/local/startup-message.ts";
import { openApiDocument } from "../../infra/openapi/document.ts";
import { admin } from "../harness/admin.ts";
import { everySetting, templateWith } from "../harness/synthesise.ts";

/** Replaces what changes with every change of the code: the hashes of bundles, and of the API in its deployment's name. */
const withoutHashes = (template: object): string =>
  json(template).replaceAll(/[\da-f]{64}|(?<=Deployment\w+)[\da-f]{32}/g, "HASH");

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const help = async (): Promise<string> => {
  const printed = async (options: string) => (await admin(options)).stdout.join("\n");
  const overview = await printed("--help");
  const names = [...overview.matchAll(/^ {2}([a-z]+-[a-z-]+) /gm)].map(([, name]) => name);
  return `${[overview, ...(await Promise.all(names.map((name) => printed(`${name} --help`))))].join("\n\n")}\n`;
};

const example = "00000000-0000-4000-8000-000000000001";
const messages = { welcome: "welcome-id", invoice: "invoice-id", bounce: "bounce-id" };
const demo = { account_id: example, domain_id: "domain-id", api_key: "emk_key", messages };

test.each<[string, () => string | Promise<string>]>([
  ["template.json", () => withoutHashes(templateWith().toJSON())],
  ["template-every-setting.json", () => withoutHashes(templateWith(everySetting).toJSON())],
  ["openapi.json", () => json(openApiDocument())],
  ["event-schema.json", () => json(eventSchema())],
  ["admin-help.txt", help],
  [
    "start.txt",
    () => startupMessage("http://127.0.0.1:3000", demo, { adminVariables: { PORT: "3001" }, seeded: ["a", "b"] }),
  ],
])("%s is as recorded", async (file, current) => {
  await expect(await current()).toMatchFileSnapshot(`recorded/${file}`);
});

/** The commands of the text that `npm start` prints. test/infra/recorded/start.txt has the whole text. */
import { expect, test } from "vitest";
import { startupMessage } from "../../../infra/local/startup-message.ts";

const messages = { welcome: "welcome-id", invoice: "invoice-id", bounce: "bounce-id" };
const demo = { account_id: "account-id", domain_id: "domain-id", api_key: "emk_key", messages };

const printed = (adminVariables: Record<string, string | undefined>, seeded: string[] = []): string =>
  startupMessage("http://127.0.0.1:3000", demo, { adminVariables, seeded });

test("Commands name the variables that are set, quoted for the shell", () => {
  const text = printed({ AWS_REGION: undefined, TABLE_NAME: "it's $HOME" });

  expect(text).toContain("\nTABLE_NAME='it'\\''s $HOME' npm run -s admin -- import-message --local ");
  expect(text).not.toContain("AWS_REGION");
});

test("Without own emails, no command reads one", () => {
  expect(printed({})).not.toContain("One of your own emails");
  expect(printed({}, ["first", "second"])).toContain("# One of your own emails\ncurl");
});

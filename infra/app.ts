/** What the CDK command runs: the stack, as the settings in its context ask for it. */
import { App } from "aws-cdk-lib";
import { operations } from "../lib/api/operations.ts";
import { readSettings } from "./settings.ts";
import { EmailApiStack } from "./stack.ts";
import { UserError } from "./user-error.ts";

const app = new App();
try {
  const region = process.env.CDK_DEFAULT_REGION;
  const settings = readSettings(app.node.getAllContext(), region);
  new EmailApiStack(app, { settings, operations, region });
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  process.exit(1);
}

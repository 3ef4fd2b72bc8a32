/** The CDK app has one stack, whose settings come from the CDK context. */
import { App } from "aws-cdk-lib";
import { operations } from "../lib/http/operations.ts";
import { UserError } from "./cli/user-error.ts";
import { checkExistingTable } from "./stack/existing-table.ts";
import { checkReplicaChange, readDeployedTemplate } from "./stack/replica-change.ts";
import { readSettings } from "./stack/settings.ts";
import { EmailApiStack } from "./stack/stack.ts";

const app = new App();
try {
  const region = process.env.CDK_DEFAULT_REGION;
  const settings = readSettings(app.node.getAllContext(), region);
  const { stackName } = new EmailApiStack(app, { settings, operations, region });
  // The CDK command sets CDK_DEFAULT_ACCOUNT if it finds AWS credentials. `npm run synth` needs no credentials.
  if (process.env.CDK_DEFAULT_ACCOUNT) {
    const { template } = app.synth().getStackByName(stackName);
    if (settings.tableName !== undefined) await checkExistingTable(settings.tableName, region);
    checkReplicaChange(await readDeployedTemplate(stackName, region), template);
  }
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  process.exit(1);
}

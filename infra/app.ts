/** The CDK app has one stack, whose settings come from the CDK context. */
import { App, CfnWaitConditionHandle, Stack } from "aws-cdk-lib";
import { operations } from "../lib/http/operations.ts";
import { UserError } from "./cli/user-error.ts";
import { readDeployedStack } from "./stack/deployed-stack.ts";
import { checkExistingTable } from "./stack/existing-table.ts";
import { checkRemovals } from "./stack/removals.ts";
import { checkReplicaChange } from "./stack/replica-change.ts";
import { readSettings } from "./stack/settings.ts";
import { EmailApiStack } from "./stack/stack.ts";

const app = new App();
const region = process.env.CDK_DEFAULT_REGION;
const context = app.node.getAllContext();

/** The CDK command lets an app build nothing for `bootstrap`, `destroy` and `list`, which deploy no stack. */
const buildsNothing = context["aws:cdk:bundling-stacks"]?.length === 0;

/** The CDK command sets CDK_DEFAULT_ACCOUNT if it finds AWS credentials. `npm run synth` needs no credentials. */
const hasAccount = Boolean(process.env.CDK_DEFAULT_ACCOUNT);

try {
  const settings = readSettings(context, region);
  const props = { settings, operations, region };
  if (buildsNothing || !hasAccount) {
    new EmailApiStack(app, props);
  } else {
    const deployed = await readDeployedStack(`EmailApi-${settings.stage}`, region);
    const { stackName } = new EmailApiStack(app, { ...props, isNew: deployed.isNew });
    const { template } = app.synth().getStackByName(stackName);
    if (settings.tableName !== undefined) await checkExistingTable(settings.tableName, region);
    checkReplicaChange(deployed.template, template);
    checkRemovals(deployed.template, template, settings.remove);
  }
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  if (!buildsNothing) process.exit(1);
  // `cdk bootstrap` needs no settings. It takes the account and the region from the app's stacks.
  new CfnWaitConditionHandle(new Stack(app, "NoStack"), "Nothing");
}

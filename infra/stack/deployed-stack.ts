/** What is deployed now. A deployment is compared with it before anything changes. */
import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from "@aws-sdk/client-cloudformation";
import { UserError } from "../cli/user-error.ts";

export type Resource = { Type: string; Properties?: Record<string, unknown> };

export type Template = { Resources?: Record<string, Resource>; Outputs?: Record<string, { Value: unknown }> };

export type DeployedStack = {
  /** There is no stack, or only what a failed creation left, which CDK deletes before it creates the stack again. */
  isNew: boolean;
  template: Template;
};

const newStack: DeployedStack = { isNew: true, template: {} };

const neverCreated = /^(REVIEW_IN_PROGRESS|CREATE_FAILED|ROLLBACK_COMPLETE|ROLLBACK_FAILED)$/;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist");

/**
 * Reads the stack with your own credentials, not with CDK's deployment role.
 *
 * @throws UserError if the stack can't be read, because then nobody knows what a deployment would remove, or if a failed
 * creation left a protected stack, which CDK can't delete
 */
export const readDeployedStack = async (StackName: string, region: string | undefined): Promise<DeployedStack> => {
  const client = new CloudFormationClient({ ...(region && { region }), maxAttempts: 2 });
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (neverCreated.test(stack?.StackStatus ?? "")) {
      if (!stack?.EnableTerminationProtection) return newStack;
      const unprotect = `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${StackName}`;
      throw new UserError(
        `The creation of ${StackName} has failed, and what is left is protected. Run this, then deploy again: ${unprotect}`,
      );
    }
    const { TemplateBody = "{}" } = await client.send(new GetTemplateCommand({ StackName }));
    return { isNew: false, template: JSON.parse(TemplateBody) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (isMissing(error)) return newStack;
    throw new UserError(
      `The deployed stack can't be read, so nothing was changed. cloudformation:DescribeStacks and GetTemplate must be allowed. ${error instanceof Error ? error.message : error}`,
    );
  }
};

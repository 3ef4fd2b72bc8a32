/** Looks a deployed stage up by its stack. */
import { UserError } from "../cli/user-error.ts";

export type Stage = { tableName: string; api: string };

/** @throws UserError if there is no such stack, or it can't be read */
export const findStage = async (stage: string): Promise<Stage> => {
  // The local service needs no CloudFormation, and loading its client would delay it.
  const { CloudFormationClient, DescribeStacksCommand } = await import("@aws-sdk/client-cloudformation");
  const StackName = `EmailApi-${stage}`;
  const client = new CloudFormationClient({ maxAttempts: 2 });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName })).catch((error) => {
    throw new UserError(`--stage ${stage}: the stack ${StackName} can't be read: ${error.message || error.name}`);
  });
  const outputOf = (name: string) => Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  const tableName = outputOf("TableName");
  if (tableName === undefined) throw new UserError(`--stage ${stage}: the stack ${StackName} has no output TableName`);
  return { tableName, api: outputOf("ApiUrl") ?? "" };
};

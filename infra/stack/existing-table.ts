/** Checks the setting `tableName` before a deployment: with a mistyped name, every request would end with a 500. */
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { layout } from "../../lib/table/keys.ts";
import { UserError } from "../cli/user-error.ts";

/**
 * Needs `dynamodb:DescribeTable` and `dynamodb:DescribeTimeToLive`. Credentials without them (CDK's deployment role has
 * more, but the app runs with the caller's) skip the check, as they skip the comparison of replicas.
 *
 * @throws UserError if there is no such table, if it has other keys, or if its time to live is off or on another attribute
 */
export const checkExistingTable = async (TableName: string, region: string | undefined): Promise<void> => {
  const client = new DynamoDBClient({ ...(region && { region }), maxAttempts: 2 });
  const refused = (error: Error) => {
    if (error.name !== "ResourceNotFoundException") return undefined;
    throw new UserError(`tableName must be an existing table: there is none named ${TableName} in ${region}`);
  };
  const found = await client.send(new DescribeTableCommand({ TableName })).catch(refused);
  if (!found) return;
  const ours = `${layout.partitionKey} and ${layout.sortKey}`;
  const keys = found.Table?.KeySchema?.map(({ AttributeName }) => AttributeName).join(" and ");
  if (keys !== ours) {
    throw new UserError(
      `tableName must be a table of this API: the keys of ${TableName} are ${keys}, not ${ours}`,
    );
  }
  const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName })).catch(refused);
  const { TimeToLiveStatus = "", AttributeName } = expiry?.TimeToLiveDescription ?? {};
  const isOn = TimeToLiveStatus.startsWith("ENABL") && AttributeName === layout.timeToLive;
  if (!expiry || isOn) return;
  throw new UserError(
    `tableName must be a table with time to live on ${layout.timeToLive}: run TABLE_NAME=${TableName} npm run admin -- prepare-table first`,
  );
};

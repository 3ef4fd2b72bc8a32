/**
 * Checks the setting `tableName` before a deployment: with a typo in it, every request with an API key would end with a
 * 500.
 */
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { layout, personIndex } from "../../lib/table/keys.ts";
import { describe, UserError } from "../cli/user-error.ts";

/**
 * We check the table with your own credentials, not with CDK's deployment role. If these don't allow
 * `dynamodb:DescribeTable` and `dynamodb:DescribeTimeToLive`, the deployment goes on with a warning that the table
 * wasn't checked.
 *
 * @throws UserError if there is no such table, if it has other keys or no index of persons, or if its time to live is off
 * or on another attribute
 */
export const checkExistingTable = async (TableName: string, region: string | undefined): Promise<void> => {
  const client = new DynamoDBClient({ ...(region && { region }), maxAttempts: 2 });
  const explain = (error: Error) => {
    if (error.name === "ResourceNotFoundException") {
      throw new UserError(`tableName must be an existing table: there is none named ${TableName} in ${region}`);
    }
    console.error(`tableName was not checked. ${describe(error)}`);
    return undefined;
  };
  const found = await client.send(new DescribeTableCommand({ TableName })).catch(explain);
  if (!found) return;
  const ours = `${layout.partitionKey} and ${layout.sortKey}`;
  const keys = found.Table?.KeySchema?.map(({ AttributeName }) => AttributeName).join(" and ");
  if (keys !== ours) {
    throw new UserError(`tableName must be a table of this API: the keys of ${TableName} are ${keys}, not ${ours}`);
  }
  const prepare = `run TABLE_NAME=${TableName} npm run admin -- prepare-table first`;
  const index = found.Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === personIndex.name);
  const indexKeys = index?.KeySchema?.map(({ AttributeName }) => AttributeName).join(" and ");
  if (indexKeys !== `${personIndex.partitionKey} and ${personIndex.sortKey}`) {
    throw new UserError(`tableName must be a table with the index ${personIndex.name}: ${prepare}`);
  }
  const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName })).catch(explain);
  const { TimeToLiveStatus = "", AttributeName } = expiry?.TimeToLiveDescription ?? {};
  const isOn = TimeToLiveStatus.startsWith("ENABL") && AttributeName === layout.timeToLive;
  if (!expiry || isOn) return;
  throw new UserError(`tableName must be a table with time to live on ${layout.timeToLive}: ${prepare}`);
};

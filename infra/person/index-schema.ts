/** The index of persons, as DynamoDB's calls describe it: for `npm start`, and for `prepare-table`. */
import type { AttributeDefinition, GlobalSecondaryIndex } from "@aws-sdk/client-dynamodb";
import { layout, personIndex } from "../../lib/table/keys.ts";

const names = [layout.partitionKey, layout.sortKey, personIndex.partitionKey, personIndex.sortKey];

/** All attributes that are part of a key of the table or of the index. */
export const keyAttributes = names.map((AttributeName): AttributeDefinition => ({ AttributeName, AttributeType: "S" }));

export const indexSchema: GlobalSecondaryIndex = {
  IndexName: personIndex.name,
  KeySchema: [
    { AttributeName: personIndex.partitionKey, KeyType: "HASH" },
    { AttributeName: personIndex.sortKey, KeyType: "RANGE" },
  ],
  Projection: { ProjectionType: "KEYS_ONLY" },
};

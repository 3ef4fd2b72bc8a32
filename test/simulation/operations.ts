/**
 * What people do in a month. To add an operation, write it into a file of operations/: `plan` chooses its arguments, `run`
 * does it, tells the model when it begins, and what its response means when it ends.
 */
import { eventOperations } from "./operations/events.ts";
import { keyOperations } from "./operations/keys.ts";
import { messageOperations } from "./operations/messages.ts";
import { peopleOperations } from "./operations/people.ts";
import { sesOperations } from "./operations/ses.ts";

export const operations = {
  ...messageOperations,
  ...eventOperations,
  ...sesOperations,
  ...peopleOperations,
  ...keyOperations,
};

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

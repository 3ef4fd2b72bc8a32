/** What the operator's commands share: their arguments, where the table is, and how they fail. */
import * as z from "zod/mini";
import { openTable, type Table } from "../../lib/table/table.ts";
import { localEnvironment } from "../local/engine.ts";

/** Arguments that a command can't work with; its message is the one line that the operator sees. */
export class UsageError extends Error {}

const guid = z.guid();

export const uuidOption = (name: string, value: string | undefined): string => {
  if (value !== undefined && guid.safeParse(value).success) return value.toLowerCase();
  throw new UsageError(`--${name} takes a UUID${value === undefined ? "" : `, not ${value}`}`);
};

/** The deployed table that `TABLE_NAME` names, or the one that `npm start` runs. */
export const openTableOf = ({ local }: { local?: boolean | undefined }): Table => {
  if (local) {
    const { AWS_ENDPOINT_URL_DYNAMODB, TABLE_NAME, DYNAMODB_PORT } = process.env;
    const ours = localEnvironment(Number(DYNAMODB_PORT ?? 8000));
    if (AWS_ENDPOINT_URL_DYNAMODB) process.env.TABLE_NAME = TABLE_NAME ?? ours.TABLE_NAME;
    else Object.assign(process.env, ours);
  } else if (!process.env.TABLE_NAME) {
    throw new UsageError("Set TABLE_NAME to the deployed table's name, or pass --local");
  }
  return openTable();
};

/** One object a line with `--json`, and nothing else; otherwise the words for a person. */
export const print = (json: boolean | undefined, object: object, words: string): void =>
  console.log(json ? JSON.stringify(object) : words);

/** Why a command failed, in one line, with what the operator can do about it. */
export const explain = (error: Error): string => {
  const { code, name, message } = error as Error & { code?: string };
  if (code === "ECONNREFUSED")
    return `No DynamoDB answers at ${process.env.AWS_ENDPOINT_URL_DYNAMODB}: is "npm start" running?`;
  if (name === "ResourceNotFoundException") return `There is no table named ${process.env.TABLE_NAME}`;
  return message.split("\n")[0] || name;
};

/** From this table of operations, we build the functions, the stack, the local server and the OpenAPI document. */
import type * as z from "zod/mini";
import { type Scope, scopes } from "../api-keys/scopes.ts";
import { NewMember } from "../members/member.ts";
import { fieldsParameter } from "../messages/fields.ts";
import { itemTypes } from "../table/keys.ts";
import type { Permission } from "../table/permission.ts";
import { optional, type ParametersFor, uuidParameter } from "./parameters.ts";

export type OperationId = "GetMessage" | "AddAccountMember";

export type AccountPath = { account_id: string };

export type Operation<
  Path extends AccountPath = AccountPath,
  Query = unknown,
  Body = unknown,
  Streams extends boolean = boolean,
> = {
  readonly id: OperationId;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A path such as `/v2/accounts/{account_id}`; each name in braces needs its entry in `pathParameters`. */
  readonly path: string;
  readonly pathParameters: ParametersFor<Path>;
  /** A request that repeats a parameter gets a 400; unknown parameters are ignored. */
  readonly queryParameters: ParametersFor<Query>;
  /** The schema of the JSON body; `null` if the operation reads no body. */
  readonly body: z.ZodMiniType<Body> | (undefined extends Body ? null : never);
  readonly status: number;
  readonly file: string;
  readonly scope: Scope;
  /** The DynamoDB calls of `prefetch` and `handle`, without those that `once` adds. */
  readonly permissions: readonly Permission[];
  /** A response can have at most 6 MB unless Lambda streams it. */
  readonly streams: Streams;
  readonly idempotent: boolean;
};

const operation = <Path extends AccountPath, Query, Streams extends boolean, Body = undefined>(
  entry: Operation<Path, Query, Body, Streams>,
): Operation<Path, Query, Body, Streams> => entry;

const account_id = uuidParameter(
  "account_id",
  "The account that the API key belongs to.",
  "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
);

export const getMessage = operation({
  id: "GetMessage",
  method: "GET",
  path: "/v2/accounts/{account_id}/messages/{message_id}",
  pathParameters: {
    account_id,
    message_id: uuidParameter("message_id", "The `id` of the message.", "0b6cb1a2-3f0e-4d52-9a3c-6f2f7d1e8a10"),
  },
  queryParameters: {
    fields: optional({
      schema: fieldsParameter,
      description:
        "Fields of the Message object, separated by commas. The response contains only these fields, in the usual " +
        "order. Without `content` and `content_parsed`, the response does not depend on the size of the email.",
      example: "status,delivery_attempts",
      isLogged: true,
    }),
  },
  body: null,
  status: 200,
  file: "functions/get-message.ts",
  scope: scopes.readMessages,
  permissions: [
    { call: "GetItem", on: [itemTypes.message] },
    { call: "Query", on: [itemTypes.message] },
  ],
  streams: true,
  idempotent: false,
});

export const addAccountMember = operation({
  id: "AddAccountMember",
  method: "POST",
  path: "/v2/accounts/{account_id}/members",
  pathParameters: { account_id },
  queryParameters: {},
  body: NewMember,
  status: 201,
  file: "functions/add-account-member.ts",
  scope: scopes.addMembers,
  permissions: [
    { call: "GetItem", on: [itemTypes.user] },
    { call: "PutItem", on: [itemTypes.user, itemTypes.account], within: "TransactWriteItems" },
  ],
  streams: false,
  idempotent: true,
});

export const operations: readonly Operation[] = [getMessage, addAccountMember];

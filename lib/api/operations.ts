/**
 * The one table of operations: the stack, the local server, the OpenAPI document and the functions all
 * read it, so that they cannot drift apart.
 */
import * as z from "zod/mini";
import { type Scope, scopes } from "../api-keys/scopes.ts";
import { NewMember } from "../members/member.ts";

export type OperationId = "GetMessage" | "AddAccountMember";

/** What the path of every operation names. */
export type AccountPath = { account_id: string };

export type Operation<
  Path extends AccountPath = AccountPath,
  Body = unknown,
  Streams extends boolean = boolean,
> = {
  /** The OpenAPI operationId, and the name in logs and metrics. */
  readonly id: OperationId;
  readonly method: "GET" | "POST";
  /** An API Gateway resource path; `{names}` are the keys of `parameters`. */
  readonly path: string;
  /** The file whose `handler` export serves the operation. */
  readonly file: string;
  /** The scope that grants it. */
  readonly scope: Scope;
  readonly parameters: z.ZodMiniType<Path>;
  /** `undefined` for a GET, which has no body. */
  readonly body: z.ZodMiniType<Body>;
  /** Whether Lambda streams the response instead of buffering it. */
  readonly streams: Streams;
  /** Whether a repeated Idempotency-Key returns the first response. */
  readonly idempotent: boolean;
};

/** What a path parameter accepts, in words. */
export const uuidRule = (name: string): string => `${name} must be a UUID`;

const uuid = (name: string) => z.guid(uuidRule(name)).check(z.toLowerCase());

export const getMessage = {
  id: "GetMessage",
  method: "GET",
  path: "/v2/accounts/{account_id}/messages/{message_id}",
  file: "functions/get-message.ts",
  scope: scopes.readMessages,
  parameters: z.object({ account_id: uuid("account_id"), message_id: uuid("message_id") }),
  body: z.undefined(),
  streams: true,
  idempotent: false,
} as const satisfies Operation;

export const addAccountMember = {
  id: "AddAccountMember",
  method: "POST",
  path: "/v2/accounts/{account_id}/members",
  file: "functions/add-account-member.ts",
  scope: scopes.addMembers,
  parameters: z.object({ account_id: uuid("account_id") }),
  body: NewMember,
  streams: false,
  idempotent: true,
} as const satisfies Operation;

export const operations: readonly Operation[] = [getMessage, addAccountMember];

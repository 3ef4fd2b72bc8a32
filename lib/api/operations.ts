/**
 * The one table of operations: the stack, the local server, the OpenAPI document and the functions all
 * read it, so that they cannot drift apart.
 */
import * as z from "zod/mini";
import { NewMember } from "../members/member.ts";

const uuid = (name: string) => z.guid(`${name} must be a UUID`).check(z.toLowerCase());

export type Operation = {
  /** The OpenAPI operationId, and the name in logs and metrics. */
  readonly id: string;
  readonly method: "GET" | "POST";
  /** An API Gateway resource path; `{names}` are the keys of `path parameters`. */
  readonly path: string;
  /** The file whose `handler` export serves the operation. */
  readonly file: string;
  /** The scope that grants it. */
  readonly scope: string;
  readonly parameters: z.ZodMiniObject<{ account_id: ReturnType<typeof uuid> }>;
  readonly body?: z.ZodMiniType;
  /** Whether Lambda streams the response instead of buffering it. */
  readonly streams: boolean;
  /** Whether a repeated Idempotency-Key answers the first response. */
  readonly idempotent: boolean;
};

export const getMessage = {
  id: "GetMessage",
  method: "GET",
  path: "/v2/accounts/{account_id}/messages/{message_id}",
  file: "functions/get-message.ts",
  scope: "messages:read:all",
  parameters: z.object({ account_id: uuid("account_id"), message_id: uuid("message_id") }),
  streams: true,
  idempotent: false,
} as const satisfies Operation;

export const addAccountMember = {
  id: "AddAccountMember",
  method: "POST",
  path: "/v2/accounts/{account_id}/members",
  file: "functions/add-account-member.ts",
  scope: "accounts:members:add",
  parameters: z.object({ account_id: uuid("account_id") }),
  body: NewMember,
  streams: false,
  idempotent: true,
} as const satisfies Operation;

export const operations: readonly Operation[] = [getMessage, addAccountMember];

/** The texts of an operation in the OpenAPI document, such as the summary and the descriptions. */
import type * as z from "zod/mini";
import type { ErrorResponse } from "../../lib/api/error-catalogue.ts";
import type { Component } from "./components.ts";

export const tags = {
  Messages: "The emails that the account sent and received.",
  Members: "The people who have a role in the account.",
};

export type Examples = Record<string, { summary: string; value: unknown }>;

/** Maps a short description of an error, such as "Malformed JSON", to the error response. */
export type Errors = Record<string, ErrorResponse>;

export type OperationTexts = {
  tag: keyof typeof tags;
  summary: string;
  description: string;
  /** An example of the request's body, if the operation reads a body. */
  body?: unknown;
  /** The successful response. One without a body has no schema. */
  success: { description: string; schema?: z.ZodMiniType; examples?: Examples };
  /** The errors of this operation. `commonErrors` in `outcomes.ts` adds the errors that many operations share. */
  errors: Errors;
  /** The descriptions of statuses that only this operation has, such as 409. */
  descriptions: Record<number, string>;
  /** Maps the name of each schema in the OpenAPI document to the schema. Operations may share schemas. */
  components: Record<string, Component>;
};

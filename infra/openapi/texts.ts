/** Descriptions and examples of an operation, for the reference page. */
import type * as z from "zod/mini";
import type { ErrorResponse } from "../../lib/http/error-catalogue.ts";
import type { Component } from "./components.ts";

export const tags = {
  Messages: "The emails that the account sent and received.",
  Members: "The people who have a role in the account.",
};

export type Examples = Record<string, { summary: string; value: unknown }>;

/** The errors that an operation can return; the key of each is a short description such as "Malformed JSON". */
export type Errors = Record<string, ErrorResponse>;

export type OperationTexts = {
  tag: keyof typeof tags;
  summary: string;
  description: string;
  /** An example of the request's body, if the operation reads a body. */
  body?: unknown;
  /** The successful response. A response without a body has no schema. */
  success: { description: string; schema?: z.ZodMiniType; examples?: Examples };
  /** The operation's own errors. Errors that many operations share come from `commonErrors` in `outcomes.ts`. */
  errors: Errors;
  /** Descriptions of this operation's own statuses, such as 409. */
  descriptions: Record<number, string>;
  /** The schemas by name. Several operations may share a schema. */
  components: Record<string, Component>;
};

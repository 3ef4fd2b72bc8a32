/** The descriptions of an operation, which the OpenAPI document adds to the entry in the table of operations. */
import type { ErrorResponse } from "../../lib/api/error-catalogue.ts";
import type { Component } from "./components.ts";

export const tags = {
  Messages: "The emails that the account sent and received.",
  Members: "The people who have a role in the account.",
};

export type Examples = Record<string, { summary: string; value: unknown }>;

/** Maps the description of a fault to the error response. */
export type Errors = Record<string, ErrorResponse>;

export type OperationTexts = {
  tag: keyof typeof tags;
  summary: string;
  /** Markdown. */
  description: string;
  /** An example of the request's body, if the operation reads a body. */
  body?: unknown;
  success: { description: string; examples?: Examples };
  /** The errors that `commonErrors` in `responses.ts` does not contain. */
  errors: Errors;
  /** The descriptions of statuses that only this operation has, such as 409. */
  descriptions: Record<number, string>;
  /** The schemas of the operation, by their names in the document. Operations may share schemas. */
  components: Record<string, Component>;
};

/** The texts of one operation for readers of the reference. The operation's entry defines everything else. */
import type { ErrorResponse } from "../../lib/api/error-catalogue.ts";
import type { Component } from "./components.ts";

export const tags = {
  Messages: "The emails that the account sent and received.",
  Members: "The people who have a role in the account.",
};

export type Examples = Record<string, { summary: string; value: unknown }>;

/** Errors, each under the fault that causes it. */
export type Errors = Record<string, ErrorResponse>;

export type OperationTexts = {
  tag: keyof typeof tags;
  summary: string;
  /** Markdown. */
  description: string;
  /** An example of the request's body, if the operation reads a body. */
  body?: unknown;
  success: { description: string; examples?: Examples };
  /** The errors that do not follow from the operation's entry. */
  errors: Errors;
  /** Descriptions of the statuses that only these errors have. */
  descriptions: Record<number, string>;
  /** The schemas of the operation, by their names in the document. Texts of other operations may describe some. */
  components: Record<string, Component>;
};

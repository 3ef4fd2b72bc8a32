/** What the document says about an operation that its definition does not. */
import type { ResponseObject } from "./responses.ts";

export type OperationNotes = {
  tag: "Messages" | "Members";
  summary: string;
  /** Markdown. */
  description: string;
  responses: Record<number, ResponseObject>;
};

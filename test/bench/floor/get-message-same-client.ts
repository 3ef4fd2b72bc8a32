/** The floor of Get Message on our own client, which decodes base64 in place. */
import { openTable } from "../../../lib/table/table.ts";
import { createHandler } from "./get-message.ts";

export const handler = createHandler(openTable());

/** What engineering needs to look at the same message: all ids, and a request that reads it. */
import type { DeskMessage } from "../served.ts";
import { shown } from "./shown.ts";

export const curlOf = ({ account_id, id }: DeskMessage): string => {
  const { demo, api } = shown;
  const key = demo?.account_id === account_id ? demo.api_key : "$API_KEY";
  const base = api || (shown.source === "local" ? location.origin : "$API_URL");
  return `curl -s "${base.replace(/\/$/, "")}/v2/accounts/${account_id}/messages/${id}" -H "Authorization: Bearer ${key}"`;
};

/** One line, because a pasted line break would run a part of it in a shell. */
export const forEngineering = (message: DeskMessage): string => {
  const { id, account_id, domain_id, message_id, status, status_time, delivery_attempts } = message;
  const last = delivery_attempts.at(-1);
  const facts = [
    `message ${id}`,
    `account ${account_id}`,
    `domain ${domain_id}`,
    `Message-ID ${message_id}`,
    `status ${status}${status_time ? ` since ${status_time}` : ""}`,
    ...(last ? [`last attempt ${last.time}: ${last.log}`] : []),
    ...shown.where,
    curlOf(message),
  ];
  return facts.join(" · ");
};

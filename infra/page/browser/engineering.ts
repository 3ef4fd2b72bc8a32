/** What engineering needs to look at the same message: all ids, and a request that reads it. */
import type { DeskMessage, Shown } from "../served.ts";
import { requestJson } from "./request.ts";
import { shown } from "./shown.ts";

/** The demonstration's key changes with each start, and a tab may be older than its server. */
const demoOfNow = async () =>
  shown.demo && (await requestJson<Shown>(`${location.origin}/messages/about`, "").catch(() => shown)).demo;

export const curlOf = async ({ account_id, id }: DeskMessage): Promise<string> => {
  const { api } = shown;
  const demo = await demoOfNow();
  const key = demo?.account_id === account_id ? demo.api_key : "$API_KEY";
  const base = api || (shown.source === "local" ? location.origin : "$API_URL");
  return `curl -s "${base.replace(/\/$/, "")}/v2/accounts/${account_id}/messages/${id}" -H "Authorization: Bearer ${key}"`;
};

/** One line, because a pasted line break would run a part of it in a shell. */
export const forEngineering = async (message: DeskMessage): Promise<string> => {
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
    await curlOf(message),
  ];
  return facts.join(" · ");
};

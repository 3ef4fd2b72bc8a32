/** Shows what a delivery report says, and leads to the message that it is about. */

import { visible } from "../../cli/visible.ts";
import { address } from "./copy.ts";
import { plainValue, type Report } from "./delivery-report.ts";
import { element, find, type Term, terms } from "./dom.ts";
import { listed } from "./list.ts";
import type { Message } from "./request.ts";
import type { Tone } from "./tone.ts";
import type { View } from "./view.ts";

export const showVerdict = (parts: readonly string[], tone: Tone): void => {
  Object.assign(find("#verdict"), { textContent: visible(parts.filter(Boolean).join(" · ")), className: tone });
};

const names: Record<string, string> = {
  "final-recipient": "Final recipient",
  action: "Action",
  status: "Status",
  "diagnostic-code": "Diagnostic code",
  "remote-mta": "Remote server",
};

const toneOfAction = (action: string): Tone => {
  if (/fail/i.test(action)) return "bad";
  return /delay/i.test(action) ? "wait" : "good";
};

const reportView = (fields: Report): HTMLElement => {
  const rows = Object.entries(names).filter(([name]) => fields[name]);
  return element("dl", {}, ...terms(rows.map(([name, label]): Term => [label, plainValue(fields[name])])));
};

const originalView = async (original: string, { account_id }: Message): Promise<HTMLElement> => {
  const known = (await listed()).find((one) => one.message_id === original && one.account_id === account_id);
  if (!known) return address(original);
  return element("a", { href: `#${known.account_id}/${known.id}` }, known.subject || original);
};

export const showReport = async ({ reports, original }: View, message: Message): Promise<void> => {
  const isReport = reports.length > 0 || message.is_bounce_notification;
  find("#report").hidden = !isReport;
  if (!isReport) return;
  const [first] = reports;
  if (first) {
    const { action = "", status = "" } = first;
    const reason = plainValue(first["diagnostic-code"]) || status;
    const verdict = `Delivery to ${plainValue(first["final-recipient"])}: ${action}`;
    showVerdict([verdict, message.bounce_classification ?? "", reason], toneOfAction(action));
  }
  const rows: Term[] = [];
  if (message.reference_message_id !== undefined) rows.push(["Reference", address(message.reference_message_id)]);
  if (original) rows.push(["Original message", await originalView(original, message)]);
  const none = element("p", { className: "soft" }, "This report has no machine-readable part (RFC 3464).");
  const lists = reports.length > 0 ? reports.map(reportView) : [none];
  find("#report").replaceChildren(find("#report h2"), ...lists, element("dl", {}, ...terms(rows)));
};

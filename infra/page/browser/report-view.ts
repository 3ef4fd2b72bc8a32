/** Shows what a delivery report says, and leads to the message that it is about. */
import type { DeskMessage } from "../served.ts";
import { address } from "./copy.ts";
import { plainValue, type Report } from "./delivery-report.ts";
import { element, find, type Term, terms } from "./dom.ts";
import type { Tone } from "./outcome.ts";
import { rowsRead } from "./results.ts";
import type { Verdict } from "./verdict.ts";
import type { View } from "./view.ts";

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

/** Returns `null` if the email is no delivery report. */
export const verdictOfReport = ({ reports: [first] }: View): Verdict | null => {
  if (!first) return null;
  const { action = "", status = "" } = first;
  return {
    tone: toneOfAction(action),
    headline: `Delivery to ${plainValue(first["final-recipient"])}: ${action}`,
    plain: "",
    words: plainValue(first["diagnostic-code"]) || status,
  };
};

const reportView = (fields: Report): HTMLElement => {
  const rows = Object.entries(names).filter(([name]) => fields[name]);
  return element("dl", {}, ...terms(rows.map(([name, label]): Term => [label, plainValue(fields[name])])));
};

const originalView = (original: string, { account_id }: DeskMessage): HTMLElement => {
  const known = rowsRead().find((one) => one.message_id === original && one.account_id === account_id);
  if (!known) return address(original);
  return element("a", { href: `#${known.account_id}/${known.id}` }, known.subject || original);
};

export const showReport = ({ reports, original }: View, message: DeskMessage): void => {
  const isReport = reports.length > 0 || message.is_bounce_notification;
  find("#report").hidden = !isReport;
  if (!isReport) return;
  const rows: Term[] = [];
  if (message.reference_message_id !== undefined) rows.push(["Reference", address(message.reference_message_id)]);
  if (original) rows.push(["Original message", originalView(original, message)]);
  const none = element("p", { className: "soft" }, "This report has no machine-readable part (RFC 3464).");
  const lists = reports.length > 0 ? reports.map(reportView) : [none];
  find("#report").replaceChildren(find("#report h2"), ...lists, element("dl", {}, ...terms(rows)));
};

/** The outcomes with their counts, the accounts, and what was read. */
import type { DeskMessage } from "../served.ts";
import { changeState, current, type Narrowed } from "./current-search.ts";
import { element, find } from "./dom.ts";
import { accountLabel, countsOf } from "./narrow.ts";
import { type Group, groups } from "./outcome.ts";
import { queryOf } from "./query.ts";
import { resultsRead } from "./results.ts";
import { clockTime } from "./times.ts";

const toneOfGroup = (group: Group | ""): string => (/^(bad|wait|good)$/.test(group) ? group : "");

export const showGroups = (matching: readonly DeskMessage[], onchange: () => void): void => {
  const place = find("#groups");
  const active = document.activeElement;
  const focused = active instanceof HTMLInputElement && place.contains(active) ? active.value : null;
  const counts = countsOf(matching);
  const all: [Group | "", string, number][] = [["", "All", matching.length]];
  for (const group of Object.keys(groups) as Group[]) all.push([group, groups[group], counts.get(group) ?? 0]);
  const shown = all.filter(([group, , count]) => group === "" || count > 0 || group === current().group);
  place.replaceChildren(
    ...shown.map(([value, label, count]) => {
      const choose = () => {
        changeState({ group: value });
        onchange();
      };
      const checked = value === current().group;
      const input = element("input", { type: "radio", name: "group", value, checked, onchange: choose });
      return element("label", { className: toneOfGroup(value) }, input, `${label} ${count}`);
    }),
  );
  if (focused !== null) place.querySelector<HTMLInputElement>(`input[value="${focused}"]`)?.focus();
};

export const showAccounts = (): void => {
  const { account } = current();
  const accounts = new Map(resultsRead().messages.map((message) => [message.account_id, accountLabel(message)]));
  if (account && !accounts.has(account)) accounts.set(account, account.slice(0, 8));
  const options = [["", "All accounts"], ...accounts].map(([value = "", label = ""]) =>
    element("option", { value, selected: value === account }, label),
  );
  find("#account").replaceChildren(...options);
};

const plural = (count: number): string => `${count.toLocaleString("en")} message${count === 1 ? "" : "s"}`;

export const showReadAt = (): void => {
  find("#read-at").textContent = `newest event first · read at ${clockTime(resultsRead().readAt)}`;
};

/** Counts cover what was read, and say so if there is more. */
export const showCount = ({ listed }: Narrowed): void => {
  const { messages, next, read } = resultsRead();
  const ofWhom = queryOf(current().q).kind === "address" ? " as recipient or sender" : "";
  const count =
    listed.length === messages.length ? plural(listed.length) : `${listed.length} of ${plural(messages.length)}`;
  const partial = next ? `, of the newest ${read} that were read` : "";
  find("#count").replaceChildren(element("b", {}, count), `${ofWhom}${partial}`);
  showReadAt();
};

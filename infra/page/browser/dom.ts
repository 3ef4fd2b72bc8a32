/** Finds and creates elements. */
import { visibleLines } from "../../cli/visible.ts";

/** @throws Error if the page has no such element */
export const find = <Found extends HTMLElement = HTMLElement>(selector: string): Found => {
  const found = document.querySelector<Found>(selector);
  if (!found) throw new Error(`The page has no ${selector}`);
  return found;
};

type Child = Node | string;
type Properties<Name extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[Name], "style">>;

/** Creates an element. A string becomes text, never HTML. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties<Name> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children.map((child) => (typeof child === "string" ? visibleLines(child) : child)));
  return created;
};

export const soft = (...children: Child[]): HTMLSpanElement => element("span", { className: "soft" }, ...children);

export type Term = readonly [name: string, value: Child];

export const terms = (entries: readonly Term[]): HTMLElement[] =>
  entries.flatMap(([name, value]) => [element("dt", {}, name), element("dd", { dir: "auto" }, value)]);

export const button = (name: string, onclick: () => void, properties: Properties<"button"> = {}): HTMLButtonElement =>
  element("button", { type: "button", className: "soft", onclick, ...properties }, name);

/** A sentence about the page's own state, which a screen reader says. */
export const setState = (textContent: string, className = "soft"): void => {
  Object.assign(find("#state"), { textContent, className });
};

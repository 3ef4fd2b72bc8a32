/** Finds and creates elements. */
import { visible, visibleLines } from "../../cli/visible.ts";
import { fullTime } from "./times.ts";

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
  if (created.title) created.title = visible(created.title);
  created.append(...children.map((child) => (typeof child === "string" ? visibleLines(child) : child)));
  return created;
};

export const soft = (...children: Child[]): HTMLSpanElement => element("span", { className: "soft" }, ...children);

export type Term = readonly [name: string, value: Child];

export const terms = (entries: readonly Term[]): HTMLElement[] =>
  entries.flatMap(([name, value]) => [element("dt", {}, name), element("dd", { dir: "auto" }, value)]);

export const button = (name: string, onclick: () => void, properties: Properties<"button"> = {}): HTMLButtonElement =>
  element("button", { type: "button", className: "soft", onclick, ...properties }, name);

export const timeOf = (iso: string, format: (iso: string) => string = fullTime): HTMLTimeElement =>
  element("time", { className: "soft", dateTime: iso, title: iso }, format(iso));

const millisecondsShown = 4000;
let clearing: ReturnType<typeof setTimeout> | undefined;

/** A sentence about the page's own state, which a screen reader says. It lies over the page and shifts nothing. */
export const say = (text: string, className = "soft", ...buttons: HTMLElement[]): void => {
  clearTimeout(clearing);
  const state = find("#state");
  state.className = className;
  state.replaceChildren(...(text ? [text, ...buttons] : []));
};

/** Says something that needs no attention later. */
export const sayBriefly = (text: string): void => {
  say(text);
  clearing = setTimeout(() => say(""), millisecondsShown);
};

/** What the server tells the page about itself. */
import type { Shown } from "../served.ts";
import { find } from "./dom.ts";

export const shown: Shown = JSON.parse(find("#shown").textContent ?? "");

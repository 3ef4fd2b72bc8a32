/** What the server tells the page: the API's address and, on this machine, the demonstration account. */
import type { Shown } from "../served.ts";
import { find } from "./dom.ts";

export const { api, demo }: Shown = JSON.parse(find("#shown").textContent ?? "");

/** With an API as its source, the page shows a message by its ids and a key of its account. */
import { find, say } from "./dom.ts";
import { rememberApiKey } from "./key.ts";
import { closeMessage } from "./message-view.ts";
import { shown } from "./shown.ts";
import { stateOf } from "./state.ts";

const form = find<HTMLFormElement>("#other");
const input = (name: string): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement;

/** Shows the ids of the address. */
export const fillForm = (): void => {
  const { open } = stateOf(location);
  if (!open) return;
  input("account").value = open.account;
  input("message").value = open.id;
};

/** @param onshow called if the address already names the message */
export const startApiForm = (onshow: () => void): void => {
  if (shown.source !== "api") return;
  find("#find").hidden = true;
  find("#search").hidden = true;
  form.hidden = false;
  fillForm();
  form.onsubmit = (event) => {
    event.preventDefault();
    const [account = "", message = "", key = ""] = ["account", "message", "key"].map((name) =>
      input(name).value.trim(),
    );
    rememberApiKey(account, key);
    closeMessage();
    if (location.hash === `#${account}/${message}`) onshow();
    else location.hash = `#${account}/${message}`;
  };
  if (!stateOf(location).open) say("Enter the ids of a message and a key of its account. The key stays in this page.");
};

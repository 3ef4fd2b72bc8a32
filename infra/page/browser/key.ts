/** The key that the server asks for: the desk's token of this start, or an API key of a customer. */
import { shown } from "./shown.ts";

const stored = "desk-token";
const inAddress = /^#token=([\w-]+)$/;

/**
 * Takes the token out of the address that npm start printed, so that no copied link has it. All tabs of this desk share
 * the token: when the desk was started again, one of them is enough.
 */
const takeToken = (): void => {
  const [, token] = inAddress.exec(location.hash) ?? [];
  if (!token) return;
  localStorage.setItem(stored, token);
  history.replaceState(null, "", location.pathname + location.search);
};

/** API keys by account; they exist only in this page. */
const apiKeys = new Map<string, string>();

export const rememberApiKey = (account: string, key: string): void => {
  apiKeys.set(account.toLowerCase(), key);
};

export const keyFor = (account: string): string => {
  if (shown.source === "table") return localStorage.getItem(stored) ?? "";
  return apiKeys.get(account.toLowerCase()) ?? "";
};

/** @param onnew called when this or another tab gets a new token */
export const startKey = (onnew: () => void): void => {
  takeToken();
  addEventListener("storage", ({ key }) => key === stored && onnew());
  addEventListener("hashchange", () => {
    if (!inAddress.test(location.hash)) return;
    takeToken();
    onnew();
  });
};

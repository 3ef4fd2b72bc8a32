/** Starts the Chromium of this machine. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const findChromium = (): string => {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (found) return found;
  throw new Error('No Chromium is on the PATH. On Debian, run "apt-get update && apt-get install -y chromium"');
};

/**
 * Starts the browser of this machine.
 *
 * @param args more arguments of the command line
 * @throws Error that names the package to install, if the machine has no browser
 */
export const launchChromium = (...args: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: [
      "--no-sandbox", // With a sandbox, Chromium does not run as root, as in a container.
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });

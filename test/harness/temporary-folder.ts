/** Folders for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cleanUp } from "./clean-up.ts";

/** Creates an empty folder and deletes it when the test ends. Returns the path. */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "email-api-"));
  cleanUp(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Creates a folder with these files. Returns its path. */
export const folderOf = (files: Record<string, string>): string => {
  const folder = temporaryFolder();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
};

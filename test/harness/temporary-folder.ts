/** Folders for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "./clean-up.ts";

/** Creates an empty folder and deletes it when the test ends. Returns the path. */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "email-api-"));
  cleanUp(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Folders that end with the test file. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates an empty folder, and deletes it after the last test of the file. Returns the path. */
export const temporaryFolder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "email-api-"));
  afterAll(() => rm(path, { recursive: true, force: true }));
  return path;
};

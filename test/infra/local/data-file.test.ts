import { copyFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { createTable } from "../../../infra/local/create-table.ts";
import { lockDataFile } from "../../../infra/local/data-file.ts";
import { startEngine } from "../../../infra/local/engine.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

test("A data file is locked from the first npm start on, before its engine opens the file", async () => {
  const folder = await temporaryFolder();
  const [file, link] = [join(folder, "table.db"), join(folder, "link.db")];
  await symlink(file, link);

  lockDataFile(file);

  for (const name of [file, link])
    expect(() => lockDataFile(name)).toThrow(
      new UserError(`--data: ${name} is in use by another "npm start". Stop that one, or name another file`),
    );
});

test("A file that can't be used leaves no lock beside it", async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, "notes.txt"), "no database, but long enough for the head of one".repeat(10));

  expect(() => lockDataFile(join(folder, "notes.txt"))).toThrow("has another format");

  expect(await readdir(folder)).toEqual(["notes.txt"]);
});

test("A data file of an earlier layout is rejected, and one of ours can be opened again", async () => {
  const folder = await temporaryFolder();
  const [old, ours] = [join(folder, "old.db"), join(folder, "ours.db")];
  const create = async (file: string) => {
    const engine = await startEngine({ file });
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${engine.port}`);
    await createTable("email-api");
    await engine.stop();
  };
  await create(old); // Earlier versions left the file as the engine writes it.
  lockDataFile(ours);
  await create(ours);
  const again = join(folder, "again.db");
  await copyFile(ours, again); // This process still holds the lock of the first.

  const oldLayout = new UserError(
    `--data: ${old} was not written by version 1.0.0 or later, which stores messages in another way. ` +
      "Name a new file, and import your emails again",
    2,
  );
  const written = new DatabaseSync(again, { readOnly: true });
  expect(written.prepare("PRAGMA application_id").get()).toEqual({ application_id: 0x454d0001 });
  written.close();
  expect(() => lockDataFile(old)).toThrow(oldLayout);
  expect(() => lockDataFile(again)).not.toThrow();
});

test("Only the owner may read the emails in a data file, also in one of an earlier version", async () => {
  const folder = temporaryFolder();
  const [file, earlier] = [join(folder, "new.db"), join(folder, "earlier.db")];
  await writeFile(earlier, "", { mode: 0o644 });
  const readableByOthers = async () => {
    const modes = await Promise.all(
      (await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).mode]),
    );
    return modes.filter(([, mode]) => Number(mode) & 0o077);
  };

  for (const each of [file, earlier]) lockDataFile(each);
  const engine = await startEngine({ file });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${engine.port}`);
  await createTable("email-api");

  expect(await readdir(folder)).toContain("new.db");
  expect(await readableByOthers()).toEqual([]);
  await engine.stop();
});

import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { lockDataFile } from "../../../infra/local/data-file.ts";
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

import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { findEngine, freePort, startEngine } from "../../../infra/local/engine.ts";
import { listen } from "../../harness/listen.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

test.each([
  ["darwin", "arm64", "dynoxide"],
  ["win32", "x64", "dynoxide.exe"],
])("The engine of %s-%s may be on the PATH, as %s", async (platform, arch, file) => {
  const folder = folderOf({ [file]: "" });

  expect(findEngine(platform, arch, ["/nowhere", folder].join(delimiter))).toBe(join(folder, file));
});

test("Without an engine, one line names the package and the alternatives", () => {
  expect(() => findEngine("win32", "x64", "")).toThrow(
    new UserError(
      'No embedded DynamoDB is installed for this platform. Run "npm install --no-save @dynoxide/win32-x64", put ' +
        "dynoxide on the PATH, or set AWS_ENDPOINT_URL_DYNAMODB to another engine, such as DynamoDB Local",
    ),
  );
});

test("The engine uses the first free port, and one line reports that all ports are in use", async () => {
  const [taken, free] = [await listen(createServer()), await freePort()];

  const engine = await startEngine({ ports: [taken, free] });
  onTestFinished(engine.stop);

  expect(engine.port).toBe(free);
  await expect(startEngine({ ports: [taken] })).rejects.toThrow(
    new UserError("The embedded DynamoDB did not start: all of its ports are in use"),
  );
});

test("One line names the reason why the engine did not start", async () => {
  const error = await startEngine({ file: tmpdir() }).catch((failed: Error) => failed);

  expect(error).toBeInstanceOf(UserError);
  expect(String(error)).toMatch(/: The embedded DynamoDB did not start: .*unable to open database file.*$/);
});

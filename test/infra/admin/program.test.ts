import { expect, test } from "vitest";
import { admin } from "../../harness/admin.ts";

const commands = [
  "create-api-key",
  "list-api-keys",
  "rotate-api-key",
  "revoke-api-key",
  "list-members",
  "set-member-role",
  "remove-member",
  "import-message",
  "record-events",
  "show-message",
  "remove-content",
  "delete-message",
  "prepare-table",
];

test("--help finds every command, one line each, within 80 columns", async () => {
  const { status, stdout } = await admin("--help");

  const lines = stdout.join("\n").split("\n");
  const listed = lines.map((line) => /^ {2}([a-z-]+) {2,}[a-z]/.exec(line)?.[1]).filter(Boolean);
  expect(listed).toEqual(commands);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(status).toBe(0);
});

test.each(commands)("%s -h says what it takes", async (command) => {
  const { status, stdout, stderr } = await admin(`${command} -h`);

  expect(stdout.join("\n")).toMatch(new RegExp(`^Usage: npm run -s admin -- ${command} .*\\[options\\]`));
  expect(stdout.join("\n")).toContain("--json");
  expect(await admin(`${command} --help`)).toMatchObject({ stdout });
  expect(stderr).toEqual([]);
  expect(status).toBe(0);
});

test("Without a command, the help is an error", async () => {
  const { status, stdout, stderr } = await admin("");

  expect(stdout).toEqual([]);
  expect(stderr.join("\n")).toContain("create-api-key");
  expect(status).toBe(2);
});

test.each([
  ["delete-everything", "unknown command 'delete-everything'"],
  ["list-api-key", "unknown command 'list-api-key' (Did you mean list-api-keys?)"],
  ["create-api-key --colour red", "unknown option '--colour'"],
  ["list-api-keys", "required option '--account <uuid>' not specified"],
  [
    "create-api-key emk_secret",
    "too many arguments for 'create-api-key'. Expected 0 arguments but got 1: emk_….",
  ],
])("%s is one clear line, and exit status 2", async (command, complaint) => {
  const { status, stdout, stderr } = await admin(command);

  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: [], stderr: [complaint] });
});

/** The text that `npm start` prints, with commands for trying the API. */
import type { Demo } from "./demo.ts";

/** Formats environment variables as the prefix of a shell command, such as `NAME='value' `. */
const assignments = (variables: Record<string, string | undefined>): string =>
  Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${value?.replaceAll("'", "'\\''")}' `)
    .join("");

type Startup = {
  adminVariables: Record<string, string | undefined>;
  seeded: string[];
};

/** The commands work in any POSIX shell with curl and npm. */
export const startupMessage = (
  baseUrl: string,
  { account_id, domain_id, api_key, messages }: Demo,
  { adminVariables, seeded }: Startup,
): string => {
  const curl = (options: string, path: string) =>
    `curl -${options} -w '\\n' "${baseUrl}/v2/accounts/${account_id}/${path}" -H "Authorization: Bearer ${api_key}"`;
  const get = (id: string, options = "s") => curl(options, `messages/${id}`);
  const add = (email: string, key: string) =>
    `${curl("si -X POST", "members")} -H "Content-Type: application/json" -H "Idempotency-Key: ${key}" ` +
    `-d '{"email":"${email}","role":"Developer","name":"Grace Hopper"}'`;
  const admin = (command: string) => `${assignments(adminVariables)}npm run -s admin -- ${command} --local`;
  const opened = { type: "message.opened", id: "startup", account_id, message: { id: messages.welcome } };
  const steps: [string, string][] = [
    ["A message with text, HTML and an inline image, opened and clicked", get(messages.welcome)],
    ["The invoice with a PDF attachment, which bounced", get(messages.invoice)],
    ["The bounce notification, with a 64-bit reference_message_id", get(messages.bounce)],
    ["The same message, compressed: see Content-Encoding", get(messages.bounce, "si --compressed")],
    ["A message that does not exist", get("00000000-0000-4000-8000-000000000000", "si")],
    [
      "A new member. Paste it twice: the second response is a replay, with Idempotent-Replayed: true",
      add("grace@example.com", "welcome-grace"),
    ],
    ["The same user with another key: 409, already a member", add("grace@example.com", "welcome-grace-again")],
    ["The same key for another request: 422", add("ada@example.com", "welcome-grace")],
    ...seeded.slice(0, 1).map((id): [string, string] => ["One of your own emails", get(id)]),
    [
      "The first message is opened once more. Paste it twice: the same event counts once",
      `echo '${JSON.stringify(opened)}' | ${admin("record-events")} -`,
    ],
    ["Your own email", `${admin("import-message")} --account ${account_id} --domain ${domain_id} my.eml`],
  ];
  return steps.map(([title, command]) => `# ${title}\n${command}\n`).join("\n");
};

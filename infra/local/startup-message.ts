/** What `npm start` prints: a command to paste for each thing there is to try. */
import type { Demo } from "./demo.ts";

/** What the operator's commands need to know where the table is, as it stands before a command in a POSIX shell. */
const assignments = (variables: Record<string, string | undefined>): string =>
  Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${value?.replaceAll("'", "'\\''")}' `)
    .join("");

type Surroundings = {
  /** What the operator's commands must be told to find the table. */
  adminVariables: Record<string, string | undefined>;
  /** The ids of the messages that `--seed` has stored. */
  seeded: string[];
};

/**
 * Returns text to paste into any POSIX shell; curl and npm are all it takes.
 */
export const tour = (
  baseUrl: string,
  { account_id, domain_id, api_key, messages }: Demo,
  { adminVariables, seeded }: Surroundings,
): string => {
  const get = (id: string, options = "") =>
    `curl -s${options} "${baseUrl}/v2/accounts/${account_id}/messages/${id}" -H "Authorization: Bearer ${api_key}"`;
  const add = (email: string, key: string) =>
    `curl -si -X POST "${baseUrl}/v2/accounts/${account_id}/members" -H "Authorization: Bearer ${api_key}" ` +
    `-H "Content-Type: application/json" -H "Idempotency-Key: ${key}" ` +
    `-d '{"email":"${email}","role":"Developer","name":"Grace Hopper"}'`;
  const admin = (command: string) => `${assignments(adminVariables)}npm run -s admin -- ${command} --local`;
  const opened = { type: "message.opened", id: "tour", account_id, message: { id: messages.welcome } };
  const steps: [string, string][] = [
    ["A message with text, HTML and an inline image, opened and clicked", get(messages.welcome)],
    ["An invoice with a PDF attached, which bounced", get(messages.invoice)],
    ["The bounce notification, with its 64-bit reference_message_id", get(messages.bounce)],
    ["The same, compressed on its way: see Content-Encoding", get(messages.bounce, "i --compressed")],
    ["A message that is not there", get("00000000-0000-4000-8000-000000000000", "i")],
    [
      "A member joins; paste it twice: the second answer is a replay",
      add("grace@example.com", "welcome-grace"),
    ],
    [
      "The same user under another key: 409, already a member",
      add("grace@example.com", "welcome-grace-again"),
    ],
    ["The same key for another request: 422", add("ada@example.com", "welcome-grace")],
    ...seeded.slice(0, 1).map((id): [string, string] => ["One of your own emails", get(id)]),
    [
      "The first message is opened once more; paste it twice: the same event counts once",
      `echo '${JSON.stringify(opened)}' | ${admin("record-events")} -`,
    ],
    ["Your own email", `${admin("import-message")} --account ${account_id} --domain ${domain_id} my.eml`],
  ];
  return steps.map(([title, command]) => `# ${title}\n${command}\n`).join("\n");
};

import { addAccountMember, getMessage, type Role } from "./generated";
import { createClient } from "./generated/client";

const { API_URL = "", API_KEY, ACCOUNT_ID: account_id = "", MESSAGE_ID = "", BOUNCE_ID = "" } = process.env;
const client = createClient({ baseUrl: API_URL, auth: API_KEY });

const get = (message_id: string, query = {}) => getMessage({ client, path: { account_id, message_id }, query });
const add = (role: Role, headers = {}) =>
  addAccountMember({ client, path: { account_id }, headers, body: { email: "ada@example.org", role } });
type Failed = { response?: Response; error?: { message: string } };
const failure = ({ response, error }: Failed) => [response?.status, error?.message];

const key = { "Idempotency-Key": "key-1" };
const { data: message } = await get(MESSAGE_ID);
const { data: bounce } = await get(BOUNCE_ID);
const raw = await getMessage({ client, path: { account_id, message_id: BOUNCE_ID }, parseAs: "stream" });
const { data: selected } = await get(MESSAGE_ID, { fields: ["status", "tags"] });
const { data: first } = await add("Billing Manager", key);
const { data: second, response } = await add("Billing Manager", key);
const digits = /"reference_message_id":(\d+)/; // JSON.parse rounds integers above 2^53.
console.log(
  JSON.stringify({
    subject: message?.subject,
    createdAt: Date.parse(message?.created_at ?? ""),
    texts: message?.content_parsed?.parts.map(({ content }) => content),
    nulls: [bounce?.sent_at, bounce?.content, bounce?.content_parsed],
    referenceMessageId: digits.exec((await raw.response?.text()) ?? "")?.[1],
    selected: [selected?.status, selected?.tags, selected?.subject ?? "absent"],
    role: first?.role,
    replayed: response?.headers.get("Idempotent-Replayed") === "true" && second?.id === first?.id,
    failures: [await get(account_id), await add("Analyst"), await add("Analyst", key)].map(failure),
  }),
);

import { Configuration, MembersApi, MessagesApi, ResponseError, Role } from "./generated";

const { API_URL, API_KEY, ACCOUNT_ID: accountId = "", MESSAGE_ID = "", BOUNCE_ID = "" } = process.env;
const configuration = new Configuration({ basePath: API_URL, accessToken: API_KEY });
const messages = new MessagesApi(configuration);
const members = new MembersApi(configuration);

const add = (role: Role, idempotencyKey?: string) =>
  members.addAccountMemberRaw({ accountId, idempotencyKey, newMember: { email: "ada@example.org", role } });
const failure = (call: Promise<unknown>) =>
  call.catch(async (error) => {
    if (!(error instanceof ResponseError)) throw error;
    return [error.response.status, (await error.response.json()).message];
  });

const message = await messages.getMessage({ accountId, messageId: MESSAGE_ID });
const bounce = await messages.getMessage({ accountId, messageId: BOUNCE_ID });
const { raw } = await messages.getMessageRaw({ accountId, messageId: BOUNCE_ID });
const selected = await messages.getMessage({ accountId, messageId: MESSAGE_ID, fields: ["status", "tags"] });
const first = await (await add(Role.BillingManager, "key-1")).value();
const second = await add(Role.BillingManager, "key-1");
const isReplay = second.raw.headers.get("Idempotent-Replayed") === "true";
const digits = /"reference_message_id":(\d+)/; // JSON.parse rounds integers above 2^53.
console.log(
  JSON.stringify({
    subject: message.subject,
    createdAt: message.createdAt?.getTime(),
    texts: message.contentParsed?.parts.map(({ content }) => content),
    nulls: [bounce.sentAt, bounce.content, bounce.contentParsed],
    referenceMessageId: digits.exec(await raw.text())?.[1],
    selected: [selected.status, selected.tags, selected.subject ?? "absent"],
    role: first.role,
    replayed: isReplay && (await second.value()).id === first.id,
    failures: [
      await failure(messages.getMessage({ accountId, messageId: accountId })),
      await failure(add(Role.Analyst)),
      await failure(add(Role.Analyst, "key-1")),
    ],
  }),
);

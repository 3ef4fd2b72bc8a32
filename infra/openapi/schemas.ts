/** The schemas that validate and answer, as the document shows them: with a description of every field. */
import * as z from "zod/mini";
import { AccountMember, NewMember } from "../../lib/members/member.ts";
import { Attachment, DeliveryAttempt, Message, ParsedContent, Part } from "../../lib/messages/message.ts";

type JsonSchema = { [keyword: string]: unknown };
type Properties = Record<string, JsonSchema>;

/** A field's description, with what the schema keeps in code. A field without one does not compile. */
type Notes<S extends z.ZodMiniObject> = {
  [Field in keyof S["_zod"]["def"]["shape"]]: string | (JsonSchema & { description: string });
};

type Component = { schema: z.ZodMiniObject; description: string; notes: Record<string, string | JsonSchema> };

const component = <S extends z.ZodMiniObject>(
  schema: S,
  description: string,
  notes: Notes<S>,
): Component => ({ schema, description, notes });

const ErrorBody = z.object({ message: z.string() });

const components: Record<string, Component> = {
  Message: component(
    Message,
    "An email, sent or received, with what has happened to it. A field is always there unless it says otherwise.",
    {
      object: "Names the kind of object.",
      created_at: "When the message was stored.",
      updated_at: "When anything about the message last changed: a delivery attempt, a click, an open.",
      retain_until: "When the message is purged. From this moment on it answers `404`.",
      direction: "`outgoing` for an email the account has sent, `incoming` for one it has received.",
      is_bounce_notification: "Whether this email reports that another one could not be delivered.",
      delivery_attempts: "Every attempt to hand the email over, oldest first. Empty before the first one.",
      message_id: "The value of the email's Message-ID header. Not the `id` to retrieve it by.",
      id: "The id the message was created with.",
      subject: "The subject line.",
      tags: "The labels that the sender has put on the message.",
      sender: { format: "idn-email", description: "The address the email comes from; UTF-8 (RFC 6531)." },
      recipient: { format: "idn-email", description: "The address the email goes to; UTF-8 (RFC 6531)." },
      status: "Where the message stands, in words: new values may appear at any time.",
      num_attempts: "How many delivery attempts there have been.",
      click_count: "How many times a link in the email was clicked.",
      open_count: "How many times the email was opened.",
      domain_id: "The sending domain that the message belongs to.",
      account_id: "The account that the message belongs to.",
      sent_at: "When the message was sent; null when it has not been.",
      delivered_at: "When the recipient's server accepted the message; null when it has not.",
      bounce_classification: "Why the message bounced. Only there where that applies.",
      reference_message_id:
        "The message that a bounce is about. Only there for bounces. May exceed 2^53: read it as a 64-bit " +
        "integer, not as a double.",
      content:
        "The original raw email (RFC 822), whole: decoded as UTF-8 where its bytes are valid UTF-8, else one " +
        "character for each byte (latin1). Null when it is not available.",
      content_parsed:
        "The email taken apart. Null when `content` is null, or is too far from any email to be parsed.",
    },
  ),
  DeliveryAttempt: component(DeliveryAttempt, "One attempt to hand an email to the recipient's server.", {
    time: "When the attempt was made.",
    log: "What the recipient's server said.",
    status: "How the attempt ended, in words.",
  }),
  ParsedContent: component(ParsedContent, "An email taken apart into text, attachments and headers.", {
    parts: "The email's texts, in the order of the email: one for each inline text part, HTML included.",
    attachments: "Everything that is not inline text, in the order of the email; inline images are here too.",
    headers:
      "The email's headers: for each name, one value for each time it occurs, in order, unfolded and decoded " +
      "(RFC 2047). Names that differ in case gather under the first spelling.",
  }),
  Part: component(Part, "One inline text of an email.", {
    content_type: "The bare media type in lower case, such as `text/html`.",
    content: "The text, transfer-decoded and converted to Unicode.",
  }),
  Attachment: component(Attachment, "A file in an email, or an image or email within it.", {
    filename: "The name the email gives it; empty when there is none.",
    content: {
      contentEncoding: "base64",
      description: "The bytes in base64, without line breaks.",
    },
    content_type: "The bare media type in lower case, such as `application/pdf`.",
    content_id:
      "The Content-ID that HTML refers to it by (`cid:…`), without angle brackets; empty when there is none.",
  }),
  NewMember: component(NewMember, "Who joins the account, and as what. Fields not listed here are ignored.", {
    email: {
      format: "email",
      description:
        "The user's email address, compared without regard to case: a user is one person in every account. ASCII, " +
        "without quotes, at a domain with a dot in it.",
    },
    role: "What the member may do in the account.",
    name: { minLength: 1, maxLength: 255, description: "The name to show for the member." },
  }),
  AccountMember: component(AccountMember, "The relationship of a user and an account.", {
    id: "Identifies this relationship of user and account.",
    created_at: "When the user joined the account.",
    updated_at: "When the relationship last changed.",
    user_id: "Identifies the user: the same email address has the same `user_id` in every account.",
    account_id: "The account joined.",
    role: "What the member may do in the account.",
  }),
  Error: component(ErrorBody, "What every error answers.", {
    message: "One sentence that says what is wrong and, for input, which field and what it accepts.",
  }),
};

/** Says the same in fewer words: a format instead of its pattern, a type instead of a choice of two. */
const simplify = (jsonSchema: JsonSchema): void => {
  const [value, none, ...others] = (jsonSchema.anyOf ?? []) as JsonSchema[];
  if (typeof value?.type === "string" && none?.type === "null" && others.length === 0) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, value, { type: [value.type, "null"] });
  }
  // A pattern is a regular expression without its flags, and so a wrong one where it has some.
  delete jsonSchema.pattern;
  delete jsonSchema.propertyNames;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

const representation: z.core.ToJSONSchemaParams = {
  io: "input",
  override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema),
  unrepresentable: ({ zodSchema }) =>
    zodSchema._zod.def.type === "bigint" ? { type: "integer", format: "int64" } : "throw",
};

const annotate = (properties: Properties, notes: Component["notes"]): Properties =>
  Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => {
      const note = notes[field];
      return [field, { ...schema, ...(typeof note === "string" ? { description: note } : note) }];
    }),
  );

/** Where the document keeps a schema. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `components.schemas` of the document. */
export const componentSchemas = (): Record<string, JsonSchema & { properties: Properties }> => {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(components)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...representation, uri: (id) => schemaRef(id).$ref });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, properties, ...schema }]) => {
      const { description, notes } = components[name] as Component;
      return [name, { ...schema, description, properties: annotate(properties as Properties, notes) }];
    }),
  );
};

/** The schema of each field of an object, for parameters. */
export const fieldSchemas = (object: z.ZodMiniType): [name: string, schema: JsonSchema][] =>
  Object.entries(z.toJSONSchema(object, representation).properties as Properties);

/**
 * The OpenAPI document: built from the operations and schemas that serve requests, so that it can't part
 * from them. What only readers need is in `openapi/`; no function loads any of it.
 */

import { type Operation, type OperationId, operations } from "../../lib/api/operations.ts";
import { type Parameter, schemaOf } from "../../lib/api/parameters.ts";
import type { NewMember } from "../../lib/members/member.ts";
import { addAccountMemberNotes } from "./add-account-member.ts";
import { getMessageNotes } from "./get-message.ts";
import { introduction } from "./introduction.ts";
import type { OperationNotes } from "./notes.ts";
import { commonHeaders } from "./responses.ts";
import { componentSchemas, fieldSchemas, schemaRef } from "./schemas.ts";

const notesOf: Record<OperationId, OperationNotes> = {
  GetMessage: getMessageNotes,
  AddAccountMember: addAccountMemberNotes,
};

/** What a reader is given to try: where the API is, and a request for each operation. */
export type Sample = {
  serverUrl: string;
  path: { account_id: string; message_id: string };
  idempotencyKey: string;
  newMember: NewMember;
};

const sampleOfNoServer: Sample = {
  serverUrl: "http://127.0.0.1:3000",
  path: {
    account_id: "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
    message_id: "0b6cb1a2-3f0e-4d52-9a3c-6f2f7d1e8a10",
  },
  idempotencyKey: "6f1c4b0e-93a7-4d28-8e5b-2c7d9a0f1e64",
  newMember: { email: "ada@example.org", role: "Developer", name: "Ada Lovelace" },
};

const pathParameters = ({ pathParameters }: Operation, sample: Sample) => {
  const schemas = new Map(fieldSchemas(schemaOf(pathParameters)));
  const given: Partial<Record<string, string>> = sample.path;
  return Object.entries<Parameter<unknown>>(pathParameters).map(([name, { description, example }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: schemas.get(name),
    example: given[name] ?? example,
  }));
};

const idempotencyKeyParameter = (sample: Sample) => ({
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Makes the request safe to repeat: the same key with the same request runs once.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: sample.idempotencyKey,
});

const requestBody = (sample: Sample) => ({
  description: "At most 64 KiB.",
  required: true,
  content: { "application/json": { schema: schemaRef("NewMember"), example: sample.newMember } },
});

const operationObject = (operation: Operation, sample: Sample) => {
  const { tag, summary, description, responses } = notesOf[operation.id];
  return {
    operationId: operation.id,
    tags: [tag],
    summary,
    description,
    security: [{ apiKey: [operation.scope] }],
    parameters: [
      ...pathParameters(operation, sample),
      ...(operation.idempotent ? [idempotencyKeyParameter(sample)] : []),
    ],
    ...(operation.body ? { requestBody: requestBody(sample) } : {}),
    responses,
  };
};

/** The document as an object; what is given of {@link Sample} fills in the requests that a reader can try. */
export const openApiDocument = (given: Partial<Sample> = {}) => documentOf({ ...sampleOfNoServer, ...given });

const documentOf = (sample: Sample) => ({
  openapi: "3.1.1",
  info: { title: "Email API", version: "2", description: introduction },
  servers: [{ url: sample.serverUrl }],
  tags: [
    { name: "Messages", description: "Emails that an account has sent and received." },
    { name: "Members", description: "The people of an account." },
  ],
  paths: Object.fromEntries(
    operations.map((operation) => [
      operation.path,
      { [operation.method.toLowerCase()]: operationObject(operation, sample) },
    ]),
  ),
  components: {
    securitySchemes: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description: "An API key of the account, sent as `Authorization: Bearer <API key>`.",
      },
    },
    headers: commonHeaders,
    schemas: componentSchemas(),
  },
});

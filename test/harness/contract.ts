/** Holds every response against the OpenAPI document, so that document and code can't part. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument } from "../../infra/openapi/document.ts";

type Header = { required?: boolean; schema: { const?: string; enum?: string[] } };
type Documented = { headers: Record<string, { $ref: string } | Header>; content: Record<string, object> };
type Answer = { status: number; headers: Headers; body: string | null };

const document = openApiDocument();

/** What HTTP and its server say about any message: none of the API's business. */
const headersOfTransport = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** Beyond this, a body is not checked: reading it twice would cost more than it proves. */
const maximumBodyCharacters = 1024 * 1024;

/** The document leaves room for new fields. The code that is tested has none that the document has not. */
const closed = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.type === "object" && value.properties ? { additionalProperties: false, ...value } : value,
  );

const ajv = new Ajv2020({
  allErrors: true,
  strictTypes: false,
  formats: {
    "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    uuid: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/,
    email: true,
    "idn-email": /^.+@[^@]+$/u,
    int64: true,
  },
});
ajv.addKeyword("components");
ajv.addSchema({ $id: "api", components: { schemas: closed(document.components.schemas) } });

const schemaOf = (reference: string): ValidateFunction => {
  const validate = ajv.getSchema(`api${reference}`);
  if (!validate) throw new Error(`The document has no ${reference}`);
  return validate;
};

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);

/** What the document says that this request may answer; where there is no such route, the error that says so. */
const documentedResponses = (method: string, path: string): Record<string, Documented> => {
  for (const [template, item] of Object.entries(document.paths)) {
    const operation = matches(template, path) && item[method.toLowerCase()];
    if (operation) return operation.responses as Record<string, Documented>;
  }
  const anyError = Object.values(document.paths)[0]?.get?.responses[404] as Documented;
  return { 404: anyError };
};

const headerOf = (header: Documented["headers"][string]): Header =>
  "$ref" in header
    ? ((document.components.headers as Record<string, unknown>)[
        header.$ref.split("/").at(-1) ?? ""
      ] as Header)
    : header;

function* headerMismatches({ headers }: Answer, documented: Documented): Generator<string> {
  const known = new Map(
    Object.entries(documented.headers).map(([name, header]) => [name.toLowerCase(), headerOf(header)]),
  );
  for (const name of headers.keys()) {
    if (!known.has(name) && !headersOfTransport.has(name)) yield `header ${name} is not documented`;
  }
  for (const [name, { required, schema }] of known) {
    const value = headers.get(name);
    const values = schema.enum ?? (schema.const === undefined ? [value] : [schema.const]);
    if (value === null) {
      if (required) yield `header ${name} is missing`;
    } else if (!values.includes(value)) yield `header ${name} is ${value}`;
  }
}

function* bodyMismatches({ headers, body }: Answer, documented: Documented): Generator<string> {
  const mediaType = headers.get("content-type") ?? "";
  const content = documented.content[mediaType] as { schema: { $ref: string } } | undefined;
  if (!content) return yield `Content-Type ${mediaType} is not documented`;
  if (body === null) return;
  const validate = schemaOf(content.schema.$ref);
  if (!validate(JSON.parse(body))) yield `body: ${ajv.errorsText(validate.errors, { dataVar: "" })}`;
}

/**
 * Throws an error that names every difference between a response and the document.
 *
 * @param body `null` leaves the body unchecked
 */
export const assertDocumented = (method: string, path: string, answer: Answer): void => {
  const documented = documentedResponses(method, path)[answer.status];
  const mismatches = documented
    ? [...headerMismatches(answer, documented), ...bodyMismatches(answer, documented)]
    : ["the status is not documented"];
  if (mismatches.length === 0) return;
  throw new Error(
    `${method} ${path} answered ${answer.status}, not as documented: ${mismatches.join("; ")}\n${answer.body}`,
  );
};

/** The whole text, or `null` where it is too long, or breaks off: its reader will find that out. */
const read = async (response: Response): Promise<string | null> => {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true });
      if (text.length <= maximumBodyCharacters) continue;
      reader?.cancel(); // not awaited: a clone's cancellation waits for the original's reader
      return null;
    }
  } catch {
    return null;
  }
  return text;
};

/** `fetch`, that throws where the response is not what the document says. */
export const call = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, init);
  const body = await read(response.clone());
  const { status, headers } = response;
  assertDocumented(init.method ?? "GET", new URL(url).pathname, { status, headers, body });
  return response;
};

/** Compares every response with the OpenAPI document, so that document and code cannot differ. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { completeSchemas, openApiDocument } from "../../infra/openapi/document.ts";

type Header = { required?: boolean; examples?: Record<string, { value: string }> };
type Documented = { headers: Record<string, { $ref: string } | Header>; content?: Record<string, object> };
type Received = { status: number; headers: Headers; body: string | null };

const document = openApiDocument();

/** Headers that HTTP itself adds. The OpenAPI document does not describe them. */
const headersOfTransport = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** Longer bodies are not checked, because a second copy of a large body would slow the tests down. */
const maximumBodyCharacters = 1024 * 1024;

/** Forbids undocumented fields. The public document allows them, so that clients accept new fields. */
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
ajv.addSchema({ $id: "complete", components: { schemas: closed(completeSchemas) } });
ajv.addSchema({ $id: "shortened", components: { schemas: closed(document.components.schemas) } });

/** A request with the parameter `fields` asks for a shortened response. Any other response is complete. */
const schemaOf = (reference: string, isShortened: boolean): ValidateFunction => {
  const validate = ajv.getSchema(`${isShortened ? "shortened" : "complete"}${reference}`);
  if (!validate) throw new Error(`The document has no ${reference}`);
  return validate;
};

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);

/** Returns the documented responses of a request. An unknown route has the documented `404`. */
const documentedResponses = (method: string, path: string): Record<string, Documented> => {
  for (const [template, item] of Object.entries(document.paths)) {
    const operation = matches(template, path) && item[method.toLowerCase()];
    if (operation) return operation.responses as Record<string, Documented>;
  }
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return { 404: operations.flatMap(({ responses }) => responses[404] ?? [])[0] as Documented };
};

const headerOf = (header: Documented["headers"][string]): Header =>
  "$ref" in header
    ? ((document.components.headers as Record<string, unknown>)[header.$ref.split("/").at(-1) ?? ""] as Header)
    : header;

function* headerMismatches({ headers }: Received, documented: Documented): Generator<string> {
  const known = new Map(
    Object.entries(documented.headers).map(([name, header]) => [name.toLowerCase(), headerOf(header)]),
  );
  for (const name of headers.keys()) {
    if (!known.has(name) && !headersOfTransport.has(name)) yield `header ${name} is not documented`;
  }
  for (const [name, { required, examples }] of known) {
    const value = headers.get(name);
    if (value === null) {
      if (required) yield `header ${name} is missing`;
    } else if (examples && !(value in examples)) yield `header ${name} is ${value}`;
  }
}

function* bodyMismatches({ headers, body }: Received, documented: Documented, isShortened: boolean): Generator<string> {
  const mediaType = headers.get("content-type");
  if (!documented.content && mediaType === null && body === "") return;
  const content = documented.content?.[mediaType ?? ""] as { schema: { $ref: string } } | undefined;
  if (!content) return yield `Content-Type ${mediaType} is not documented`;
  if (body === null) return;
  const validate = schemaOf(content.schema.$ref, isShortened);
  if (!validate(JSON.parse(body))) yield `body: ${ajv.errorsText(validate.errors, { dataVar: "" })}`;
}

/**
 * Throws an error that names every difference between a response and the document.
 *
 * @param body `null` leaves the body unchecked
 */
export const assertDocumented = (method: string, path: string, response: Received): void => {
  const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
  const documented = documentedResponses(method, pathname)[response.status];
  const mismatches = documented
    ? [...headerMismatches(response, documented), ...bodyMismatches(response, documented, searchParams.has("fields"))]
    : ["the status is not documented"];
  if (mismatches.length === 0) return;
  throw new Error(
    `${method} ${path} returned an undocumented response ${response.status}: ${mismatches.join("; ")}\n${response.body}`,
  );
};

/** Returns the body's text, or `null` if the body is too long or breaks off. */
const read = async (response: Response): Promise<string | null> => {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true });
      if (text.length <= maximumBodyCharacters) continue;
      reader?.cancel(); // Not awaited, because a clone's cancellation waits for the original's reader.
      return null;
    }
  } catch {
    return null;
  }
  return text;
};

/** Calls `fetch`. @throws Error if the response differs from the OpenAPI document */
export const call = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, init);
  const body = await read(response.clone());
  const { status, headers } = response;
  assertDocumented(init.method ?? "GET", url, { status, headers, body });
  return response;
};

/** The bundles that the stack ships, loaded as Lambda loads them, on the real engine. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundle, bundleFile, entryFile } from "../../infra/bundling.ts";
import { gateway } from "../../infra/local/gateway.ts";
import { addAccountMember, getMessage, type Operation } from "../../lib/api/operations.ts";
import { storeMessage } from "../../lib/messages/store-message.ts";
import { bearer, day, newKey, newMessage, table } from "../harness/service.ts";
import { type Resource, synthesise } from "../harness/synthesise.ts";

const { template, directory } = synthesise();

/** What Lambda is told about an operation's function. */
const deployed = ({ method, path }: Operation) => {
  const [{ Properties }] = Object.values(
    template.findResources("AWS::Lambda::Function", { Properties: { Description: `${method} ${path}` } }),
  ) as [Resource];
  return {
    folder: join(directory, `asset.${Properties.Code.S3Key.replace(".zip", "")}`),
    handler: Properties.Handler as string,
    environment: Properties.Environment.Variables as Record<string, unknown>,
  };
};

/** Loads the function as Lambda does. The name `index.handler` is a file and its export. */
const load = async (operation: Operation) => {
  const { folder, handler } = deployed(operation);
  const [, name = ""] = handler.split(".");
  return (await import(join(folder, entryFile)))[name];
};

const serve = async (operation: Operation): Promise<string> => {
  const server = gateway([{ operation, handler: await load(operation) }]);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test("A function is told the table's name and where it counts, and asks its environment for nothing else", () => {
  const told = ["TABLE_NAME", "POWERTOOLS_METRICS_NAMESPACE"];
  expect(Object.keys(deployed(getMessage).environment)).toEqual(told);
  expect(Object.keys(deployed(addAccountMember).environment)).toEqual(told);
});

test("The bundle of Get Message streams a stored email, compressed as the caller asks", async () => {
  const { secret, account_id } = await newKey();
  const message = newMessage({ account_id, retain_until: new Date(Date.now() + day) });
  const raw = "Subject: Hello\r\nContent-Type: text/plain\r\n\r\nHello, bundle\r\n";
  await storeMessage(table, message, Buffer.from(raw), Date.now());
  const url = await serve(getMessage);

  const response = await fetch(`${url}/v2/accounts/${account_id}/messages/${message.id}`, {
    headers: { ...bearer(secret), "Accept-Encoding": "br" },
  });

  expect(response.status).toBe(200);
  expect(response.headers.get("content-encoding")).toBe("br");
  expect(await response.json()).toMatchObject({ id: message.id, content: raw });
});

test("The bundle of Add Account Member adds a member once, and replays its answer", async () => {
  const { secret, account_id } = await newKey();
  const url = await serve(addAccountMember);
  const add = () =>
    fetch(`${url}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: { ...bearer(secret), "Content-Type": "application/json", "Idempotency-Key": "bundle" },
      body: JSON.stringify({ email: "ada@example.com", role: "Developer" }),
    });

  const first = await add();
  const second = await add();

  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await second.text()).toBe(await first.text());
  expect(second.headers.get("idempotent-replayed")).toBe("true");
});

describe.each([getMessage, addAccountMember])("The bundle of $id", (operation) => {
  const { folder } = deployed(operation);
  const code = readFileSync(join(folder, bundleFile), "utf8");
  const map = JSON.parse(readFileSync(join(folder, `${bundleFile}.map`), "utf8"));

  test("is one module and its source map, which names files of the project", () => {
    expect(readdirSync(folder).sort()).toEqual(["function.cjs", "function.cjs.map", "index.mjs"]);
    expect(map.sources).toContain(operation.file);
    expect(map.sourcesContent).toBeUndefined();
  });

  test("is the same, byte for byte, wherever it is built: what is not changed is not deployed again", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "email-api-"));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));

    bundle(operation.file, elsewhere);

    expect(readFileSync(join(elsewhere, bundleFile), "utf8")).toBe(code);
    expect(JSON.parse(readFileSync(join(elsewhere, `${bundleFile}.map`), "utf8"))).toEqual(map);
  });

  test("needs nothing beside it but Node.js", () => {
    const imported = [...code.matchAll(/\b(?:require|import)\("([\w:@/.-]+)"\)/g)].map(
      ([, name = ""]) => name,
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
  });

  test("holds no MIME parser, no OpenAPI document and of zod only the mini part", () => {
    const unwanted = map.sources.filter((source: string) =>
      /mailsplit|libmime|iconv-lite|postal-mime|libqp|openapi|messages\/mime|zod\/v4\/(classic|locales)/.test(
        source,
      ),
    );

    expect(unwanted).toEqual([]);
  });

  test("holds nothing of the AWS SDK that looks for settings anywhere but in the environment", () => {
    const unwanted = map.sources.filter((source: string) =>
      /credential-provider-(?!env)|nested-clients|shared-ini-file-loader|endpoint-cache|event-streams/.test(
        source,
      ),
    );

    expect(unwanted).toEqual([]);
  });

  test("is small enough to load quickly: two thirds of it are the AWS SDK", () => {
    expect(statSync(join(folder, bundleFile)).size).toBeLessThan(290_000);
  });
});

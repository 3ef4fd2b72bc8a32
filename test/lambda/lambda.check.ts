/** `npm run test:lambda`: the deployed bundles under AWS's own runtime client. */
import { readdir } from "node:fs/promises";
import { afterAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { unavailable } from "../../lib/http/error-catalogue.ts";
import { newEmail } from "../bench/email.ts";
import { addAccountMemberEvent, getMessageEvent } from "../bench/events.ts";
import { describeContract } from "../deployed/contract.ts";
import { expectError } from "../deployed/expect.ts";
import { request } from "../deployed/request.ts";
import { openService } from "../deployed/service.ts";
import { type Fault, startFaultyEngine } from "../harness/faulty-engine.ts";
import { table } from "../harness/service.ts";
import { behaviours, observe } from "./behaviours.ts";
import { startFunction } from "./runtime.ts";
import { bundleFolder, serveFunctions } from "./service.ts";

const client = inject("runtimeClient");
const handlers = await bundleFolder("test/lambda/handlers.ts");
const engine = await startFaultyEngine();
const { AWS_REGION = "", AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
const environment = {
  TABLE_NAME: table.name,
  POWERTOOLS_METRICS_NAMESPACE: "EmailApi/test",
  AWS_ENDPOINT_URL_DYNAMODB: engine.url,
  ...{ AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
};
const served = await serveFunctions(client, environment);
const service = openService({ url: served.url, table });
afterAll(() => service.cleanUp());

describe("The runtime client, which the local Lambda imitates", () => {
  test.each(behaviours)("$promise ($handler)", async ({ handler, becomes }) => {
    const running = await startFunction(client, { folder: handlers, handler: `function.${handler}` });
    onTestFinished(running.stop);

    const survived = observe(running.invoke, typeof becomes === "function");

    if (becomes === "the process ends") {
      const alive = survived.then(
        () => "alive",
        () => running.ended,
      );
      expect(await Promise.race([running.ended, alive])).toBe(1);
    } else if (typeof becomes === "function") expect(await survived).toSatisfy(becomes);
    else expect((await survived).outcome).toEqual(becomes);
  });
});

describeContract(() => service, { withLarge: true });

describe("A table that fails", async () => {
  const { secret } = await service.newKey();
  const headers = { Authorization: `Bearer ${secret}` };
  const account = `${served.url}/v2/accounts/${service.account_id}`;
  const small = await service.newMessage(Buffer.from("Subject: Hello\r\n\r\nHello"));
  const large = await service.newMessage(newEmail(5 * 1024 * 1024));
  const get = (id: string) => request(`${account}/messages/${id}`, { headers });
  const add = () =>
    request(`${account}/members`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ email: service.newEmail(), role: "Developer" }),
    });

  /** Fails calls of one operation after the first ones, then checks that both functions work again. */
  const during = async (fault: Fault, operation: string, after: number, run: () => Promise<void>) => {
    let calls = 0;
    engine.failWith((called) => (called === operation && calls++ >= after ? fault : undefined));
    try {
      await run();
    } finally {
      engine.failWith(() => undefined);
    }
    expect((await get(small)).status).toBe(200);
    expect((await add()).status).toBe(201);
  };

  test.each(["cut before", "stalls"] as const)("is a 503, and the next request works: %s", (fault) =>
    during(fault, "GetItem", 0, async () => {
      expectError(await get(small), unavailable);
      expectError(await add(), unavailable);
    }),
  );

  // A table that is only slow or throttled would be tried again until the function's timeout.
  test("breaks a response off that has begun, and the next request works", () =>
    during({ error: "ResourceNotFoundException" }, "Query", 2, async () => {
      await expect(get(large)).rejects.toThrow(/aborted|ECONNRESET|terminated/);
    }));
});

describe("The init phase", async () => {
  const { secret } = await service.newKey();
  const caller = { account_id: service.account_id, secret };
  const message = await service.newMessage(Buffer.from("Subject: Hello\r\n\r\nHello"));
  const requests = new Map<string, () => object>([
    ["GetMessage", () => getMessageEvent(caller, message)],
    ["AddAccountMember", () => addAccountMemberEvent(caller, service.newEmail())],
  ]);
  const functions = served.functions.filter(({ operation }) => requests.has(operation.id));

  /** Starts a function on its own engine, which fails until the first request. Returns everything that can be seen. */
  const start = async ({ operation, folder }: (typeof functions)[number], fault?: Fault) => {
    const own = await startFaultyEngine();
    own.failWith(() => fault);
    const running = await startFunction(client, {
      folder,
      environment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: own.url },
    });
    onTestFinished(running.stop);
    const init = { calls: own.calls.map(({ operation }) => operation), log: running.log() };
    own.failWith(() => undefined);
    const { statusCode, body } = await running.invoke(requests.get(operation.id)?.());
    if (typeof body !== "string") for await (const _ of body);
    return { init, statusCode, log: running.log };
  };

  // On a busy machine, the 500 ms of the warm-up can pass before its first call.
  const retry = 5;
  test.each(functions)("of $operation.id reads the table, and writes no log and no item", { retry }, async (served) => {
    const { init, statusCode, log } = await start(served);

    expect(init.calls.length).toBeGreaterThan(0);
    expect(init.calls.filter((call) => !["GetItem", "BatchGetItem", "Query"].includes(call))).toEqual([]);
    expect(init.log).toBe("");
    expect(statusCode).toBeLessThan(300);
    await expect.poll(log).toContain('"message":"request"');
    expect(log().match(/"ColdStart":1/g)).toHaveLength(1);
  });

  const faults: Fault[] = ["cut before", "silent", "stalls", { error: "ThrottlingException" }];
  test.each(functions.flatMap((served) => faults.map((fault) => ({ fault, ...served }))))(
    "of $operation.id changes nothing for the first request if the table fails: $fault",
    async ({ fault, ...served }) => {
      const { init, statusCode } = await start(served, fault);

      expect(init.log).toBe("");
      expect(statusCode).toBeLessThan(300);
    },
  );
});

describe.each(served.functions)("The process of $operation.id, in the end", ({ operation, folder, files, running }) => {
  test("has used less than 512 of its 1,024 MiB", () => {
    expect(running.peakMebibytes()).toBeLessThan(512);
  });

  test("has written nothing beside its bundle", async () => {
    expect(await readdir(folder)).toEqual(files);
  });

  test("logs one line of JSON for each request, without a key or an address", async () => {
    const url = `${served.url}${operation.path.replaceAll(/\{\w+\}/g, service.account_id)}`;
    const headers = { Authorization: `Bearer emk_${"0".repeat(43)}` };

    expect((await request(url, { method: operation.method, headers })).status).toBe(401);
    await expect.poll(running.log).toContain('"message":"request"');
    expect(running.log()).not.toMatch(/emk_|\b[\w-]+@example\.(?:com|org)/);
  });
});

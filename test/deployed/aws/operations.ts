/** Role, log and metrics of every operation in the table of operations. */
import { randomUUID } from "node:crypto";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, type TestContext, test, vi } from "vitest";
import { rejections, timeToFirstByte } from "../../../infra/stack/metrics.ts";
import { permissionsOf } from "../../../infra/stack/permissions.ts";
import { metricNames } from "../../../lib/http/metrics.ts";
import { addAccountMember, getMessage, type Operation, operations } from "../../../lib/http/operations.ts";
import { requestIdHeader } from "../../../lib/http/response.ts";
import { expectStatus } from "../expect.ts";
import type { Received } from "../request.ts";
import type { Service } from "../service.ts";
import { allowedCalls, grantedCalls, logLines, metricSum } from "./aws.ts";

/** Logs and metrics can take some minutes to appear. */
const patience = { timeout: 300_000, interval: 5000 };

export const describeOperations = (serviceOf: () => Service) =>
  describe("AWS", () => {
    const since = new Date();
    let service: Service;
    let key: { secret: string; id: string };
    beforeAll(async () => {
      service = serviceOf();
      key = await service.newKey();
    });

    /** An output of the stack; without it, the test is skipped. */
    const output = (name: string, { skip }: TestContext): string =>
      service.outputs?.[name] ?? skip(`The stack has no output ${name}.`);

    const request = (operation: Operation): Promise<Received> => {
      const path = Object.entries(operation.pathParameters).reduce(
        (filled, [name, { example }]) => filled.replace(`{${name}}`, String(example)),
        operation.path.replace("{account_id}", service.account_id),
      );
      return service.call(path, key.secret, {
        method: operation.method,
        ...(operation.body && { headers: { "Content-Type": "application/json" }, body: "{}" }),
      });
    };

    test.for(operations)(
      "$id's role allows exactly the calls in the table of operations",
      async (operation, context) => {
        const role = output(`${operation.id}RoleArn`, context);
        const { client, name: TableName } = service.table;
        const { Table } = await client.send(new DescribeTableCommand({ TableName }));
        expect(await allowedCalls(role, Table?.TableArn ?? "")).toEqual(grantedCalls(permissionsOf(operation)));
      },
    );

    test.for(operations)("$id logs one line for each request, with its X-Request-Id", async (operation, context) => {
      const logGroup = output(`${operation.id}LogGroup`, context);
      const { status, headers } = await request(operation);
      const id = String(headers[requestIdHeader.toLowerCase()]);
      const lines = await vi.waitFor(async () => {
        const found = (await logLines(logGroup, id, since)).map((line) => JSON.parse(line));
        expect(found.filter(({ message }) => message === "request")).not.toEqual([]);
        return found.filter(({ message }) => message === "request");
      }, patience);
      const expected = { operation: operation.id, account_id: service.account_id, key_id: key.id, status };
      expect(lines).toEqual([expect.objectContaining({ ...expected, request_id: id })]);
      expect(lines[0].duration_ms).toBeGreaterThan(0);
      expect(lines[0].consumed_capacity).toBeGreaterThan(0);
    });

    test.for(operations)("$id logs no key and no address", async (operation, context) => {
      const logGroup = output(`${operation.id}LogGroup`, context);
      for (const phrase of ["emk_", "@example"]) {
        expect(await logLines(logGroup, phrase, since)).toEqual([]);
      }
    });

    const expectCounted = async (context: TestContext, name: string, dimension: string, value: string) => {
      const namespace = output("MetricNamespace", context);
      const metric = { namespace, name, dimension: { Name: dimension, Value: value } };
      await vi.waitFor(async () => expect(await metricSum(metric, since)).toBeGreaterThan(0), patience);
    };

    test("A 401 in the access log is counted", async (context) => {
      expectStatus(await service.getMessage(null, randomUUID()), 401);
      await expectCounted(context, rejections.name, rejections.dimension, "401");
    });

    test("The time to the first byte of a stream is measured", async (context) => {
      const id = await service.newMessage(null);
      expectStatus(await service.getMessage(key.secret, id), 200);
      await expectCounted(context, timeToFirstByte.name, timeToFirstByte.dimension, getMessage.id);
    });

    test("A replay and a reused Idempotency-Key are counted", async (context) => {
      const body = { email: service.newEmail(), role: "Developer" };
      const idempotencyKey = { key: randomUUID() };
      expectStatus(await service.addMember(key.secret, body, idempotencyKey), 201);
      expectStatus(await service.addMember(key.secret, body, idempotencyKey), 201);
      expectStatus(await service.addMember(key.secret, { ...body, role: "Analyst" }, idempotencyKey), 422);
      for (const name of [metricNames.replay, metricNames.payloadMismatch]) {
        await expectCounted(context, name, "service", addAccountMember.id);
      }
    });
  });

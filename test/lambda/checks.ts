/** What is to be known of the functions under AWS's runtime client, beside the contract. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { unavailable } from "../../lib/api/error-catalogue.ts";
import { newEmail } from "../bench/email.ts";
import { addAccountMemberEvent, getMessageEvent } from "../bench/events.ts";
import type { Group } from "../deployed/checklist.ts";
import { expectError, expectStatus } from "../deployed/expect.ts";
import type { Service } from "../deployed/service.ts";
import { behaviours, observe } from "./behaviours.ts";
import { measureColdStart } from "./cold-start.ts";
import type { startFailingEngine } from "./failing-engine.ts";
import { startFunction } from "./runtime.ts";
import type { ServedFunctions } from "./service.ts";

/** That this machine's Lambda, which all other tests run on, does what the client does. */
export const behaviourGroup = (client: string, folder: string): Group => ({
  name: "Runtime client",
  checks: behaviours.map(({ promise, handler, becomes }) => ({
    promise: becomes === "the process ends" ? `${promise} ends the process` : promise,
    run: async () => {
      const running = await startFunction(client, { folder, handler: `function.${handler}` });
      try {
        const survived = observe(running.invoke, typeof becomes === "function");
        if (becomes === "the process ends") {
          await survived.catch(() => {});
          equal(
            await Promise.race([
              running.ended,
              survived.then(
                () => "alive",
                () => running.ended,
              ),
            ]),
            1,
          );
        } else if (typeof becomes === "function") ok(becomes(await survived), JSON.stringify(await survived));
        else deepEqual((await survived).outcome, becomes);
      } finally {
        await running.stop();
      }
    },
  })),
});

type FailingEngine = Awaited<ReturnType<typeof startFailingEngine>>;

const MiB = 1024 * 1024;

/** What the table's faults become; `service` calls functions whose table is behind `engine`. */
export const faultGroup = async (service: Service, engine: FailingEngine): Promise<Group> => {
  const { secret } = await service.newKey();
  const small = await service.newMessage(Buffer.from("Subject: Hello\r\n\r\nHello"));
  const large = await service.newMessage(newEmail(5 * MiB));
  const member = () => service.addMember(secret, { email: service.newEmail(), role: "Developer" });

  /** During the fault, and once it is over. */
  const during = async (
    fault: Parameters<FailingEngine["failWith"]>[0],
    run: () => Promise<void>,
  ): Promise<void> => {
    engine.failWith(fault);
    try {
      await run();
    } finally {
      engine.failWith(undefined);
    }
    expectStatus(await service.getMessage(secret, small), 200);
    expectStatus(await member(), 201);
  };
  const breaksOff = () =>
    service.getMessage(secret, large).then(
      () => ok(false, "the response is complete"),
      ({ message }) => match(message, /aborted|ECONNRESET|terminated/),
    );

  return {
    name: "Faults of the table",
    checks: [
      {
        promise: "A table that can't be reached is a 503, and the next requests are served",
        run: async () => {
          await during({ operation: "GetItem", kind: "refuse" }, async () => {
            const answer = await service.getMessage(secret, small);
            expectError(answer, unavailable);
            equal(answer.headers["retry-after"], "1");
          });
          await during({ operation: "GetItem", kind: "refuse" }, async () =>
            expectError(await member(), unavailable),
          );
        },
      },
      {
        promise:
          "A table that can't be reached within a response breaks it off, and the next requests are served",
        run: () => during({ operation: "Query", kind: "refuse", after: 2 }, breaksOff),
      },
      {
        promise: "A table that stalls within an answer is a 503, and the next requests are served",
        run: async () => {
          const stall = { operation: "GetItem", kind: "stall" } as const;
          await during(stall, async () => expectError(await service.getMessage(secret, small), unavailable));
          await during(stall, async () => expectError(await member(), unavailable));
        },
      },
      {
        promise: "A table that stalls within a response breaks it off, and the next requests are served",
        run: () => during({ operation: "Query", kind: "stall", after: 2 }, breaksOff),
      },
    ],
  };
};

/** What the processes have come to, after all other checks; and what a cold start takes. */
export const processGroup = async (
  client: string,
  { functions }: ServedFunctions,
  environment: Record<string, string>,
  service: Service,
): Promise<Group> => {
  const { secret } = await service.newKey();
  const caller = { account_id: service.account_id, secret };
  const id = await service.newMessage(newEmail(50 * 1024));
  const events = new Map<string, () => unknown>([
    ["GetMessage", () => getMessageEvent(caller, id)],
    ["AddAccountMember", () => addAccountMemberEvent(caller, service.newEmail())],
  ]);
  return {
    name: "Process",
    checks: functions.flatMap(({ operation, folder, files, running }) => [
      {
        promise: `${operation.id} has used less than 512 MiB of its 1024`,
        run: async () => {
          const peak = running.peakMebibytes();
          ok(peak < 512, `it has used ${Math.round(peak)} MiB`);
          return `${Math.round(peak)} MiB at the peak, one process for all of the above`;
        },
      },
      {
        promise: `${operation.id} has written nothing beside its bundle`,
        run: async () => deepEqual(readdirSync(folder), files),
      },
      {
        promise: `${operation.id} leaves one line of JSON for each request in its log, and no key or address`,
        run: async () => {
          const log = running.log();
          ok(log.includes('"message":"request"'), "there is no line");
          ok(
            !log.includes("emk_") && !/\b[\w-]+@example\.(?:com|org)/.test(log),
            "it has a key or an address",
          );
        },
      },
      {
        promise: `${operation.id}, cold start to the last byte`,
        run: () =>
          measureColdStart(client, { folder, environment, event: events.get(operation.id) ?? (() => null) }),
      },
    ]),
  };
};

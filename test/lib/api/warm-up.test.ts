import { expect, test, vi } from "vitest";
import { buffered } from "../../../lib/api/buffered.ts";
import { endpoint } from "../../../lib/api/endpoint.ts";
import { addAccountMember } from "../../../lib/api/operations.ts";
import { lambdaFunction, sampleId } from "../../../lib/api/warm-up.ts";
import { findUser, listMembers } from "../../../lib/members/store.ts";
import { getItem } from "../../../lib/table/get.ts";
import { memberKey } from "../../../lib/table/keys.ts";
import { table } from "../../harness/service.ts";

test("The sample's items are what each kind of read finds: of one item, of a batch, and of a partition", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  const { sk } = memberKey(sampleId, sampleId);
  const user = { sk: { S: "USER" }, id: { S: "of a batch" } };
  const member = { sk: { S: sk }, id: { S: "of one item" }, created_at: { S: "" } };
  const reads: unknown[] = [];
  const createHandler = endpoint({
    operation: addAccountMember, // With the sample's Idempotency-Key, `prefetch` reads with BatchGetItem.
    delivery: buffered,
    prefetch: ({ body, table }) => findUser(table, body.email),
    handle: async ({ table, path, prefetched }) => {
      const one = await getItem(table, memberKey(path.account_id, sampleId), { consistent: true });
      reads.push(prefetched, one, await listMembers(table, path.account_id));
      return { status: 201, body: "" };
    },
  });
  const body = { email: "sample@example.com", role: "Developer" };
  const sample = { body, items: [user, member], requests: 1 };

  await lambdaFunction(addAccountMember, createHandler, sample).warmUp(table);
  timeout.mockRestore();

  expect(reads).toEqual([
    { pk: "USER#sample@example.com", sk: "USER", id: "of a batch" },
    { pk: `ACCOUNT#${sampleId}`, sk, id: "of one item", created_at: "" },
    [{ id: "of a batch" }, { id: "of one item", created_at: "" }],
  ]);
});

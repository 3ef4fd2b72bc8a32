/** Members as a caller adds them. */
import { randomUUID } from "node:crypto";
import { bearer, call, newKey, startService } from "./service.ts";

/** A service, and what adds a member to an account of its own there. */
export const startAccount = async (clock?: () => number) => {
  const url = await startService(clock);
  const { secret, account_id } = await newKey();
  const add = (body: object, key: string = randomUUID()): Promise<Response> =>
    call(`${url}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: { ...bearer(secret), "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify(body),
    });
  return { account_id, add };
};

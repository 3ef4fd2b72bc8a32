/** Adds members through the API. */
import { randomUUID } from "node:crypto";
import { bearer, call, newKey, startService } from "./service.ts";

/** Starts a service. Returns a new account and a function that adds members to it. */
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

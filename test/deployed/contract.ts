/** The checks of the contract, which need the API and its table and nothing else of AWS. */
import { describeAddAccountMember } from "./contract/add-account-member.ts";
import { describeCredentials } from "./contract/credentials.ts";
import { describeGetMessage } from "./contract/get-message.ts";
import { describeOrder } from "./contract/order.ts";
import type { Service } from "./service.ts";

/**
 * `service` can be called from the first `beforeAll` on.
 *
 * @param withLarge whether to store and read messages of up to 40 MiB, which takes minutes
 */
export const describeContract = (service: () => Service, { withLarge }: { withLarge: boolean }): void => {
  describeOrder(service);
  describeCredentials(service);
  describeGetMessage(service, withLarge);
  describeAddAccountMember(service);
};

/** The checks of the contract, which need the API and its table and nothing else of AWS. */
import { describeAddAccountMember } from "./contract/add-account-member.ts";
import { describeCredentials } from "./contract/credentials.ts";
import { describeGetMessage } from "./contract/get-message.ts";
import type { Service } from "./service.ts";

/** `service` can be called from the first `beforeAll` on. */
export const describeContract = (service: () => Service): void => {
  describeCredentials(service);
  describeGetMessage(service);
  describeAddAccountMember(service);
};

/** Every check there is of a service, in the order in which they are made. */
import { addAccountMemberChecks } from "./checks/add-account-member.ts";
import { awsChecks } from "./checks/aws.ts";
import { credentials } from "./checks/credentials.ts";
import { gatewayChecks } from "./checks/gateway.ts";
import { getMessageChecks } from "./checks/get-message.ts";
import type { Service } from "./service.ts";

export const allChecks = (service: Service) =>
  Promise.all([
    credentials(service),
    getMessageChecks(service),
    addAccountMemberChecks(service),
    gatewayChecks(service),
    awsChecks(service),
  ]);

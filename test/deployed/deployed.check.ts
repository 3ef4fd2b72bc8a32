/** All checks of a deployed service, in one file because they share one account. */
import { afterAll, beforeAll, inject } from "vitest";
import { openTable } from "../../lib/table/table.ts";
import { describeGateway } from "./aws/gateway.ts";
import { describeIntake } from "./aws/intake.ts";
import { describeOperations } from "./aws/operations.ts";
import { describeContract } from "./contract.ts";
import { openService, type Service } from "./service.ts";

let service: Service;
const serviceOf = () => service;
beforeAll(() => {
  const { url, tableName, outputs } = inject("target");
  service = openService({ url, table: openTable({ name: tableName }), outputs });
});
afterAll(() => service.cleanUp());

describeContract(serviceOf, { withLarge: true });
describeGateway(serviceOf);
describeOperations(serviceOf);
describeIntake(serviceOf);

/** The contract's checks against the functions behind the local gateway. `npm run test:deployed` runs them against a stage. */
import { afterAll, beforeAll } from "vitest";
import { startService, table } from "../harness/service.ts";
import { describeContract } from "./contract.ts";
import { openService, type Service } from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = openService({ url: await startService(Date.now), table });
});
afterAll(() => service.cleanUp());

describeContract(() => service, { withLarge: false });

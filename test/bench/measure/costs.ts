/** What a request costs: calls, round trips, capacity units, dollars. Counted, so that they do not vary. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import { type Cost, type EngineProxy, startEngineProxy } from "../engine-proxy.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly } from "../figure.ts";
import { startFunction } from "../function.ts";
import { dollarsPerMillion } from "../prices.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { read, type Workload } from "./workload.ts";

const costOf = async (bundle: string, event: APIGatewayProxyEvent, proxy: EngineProxy): Promise<Cost> => {
  const started = await startFunction(bundle, {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${proxy.port}`,
  });
  await started.run({ events: [event] });
  await started.stop();
  return proxy.take();
};

type Sides = { ours: Cost; floor: Cost; peer: Cost };

const each = ({ ours, floor, peer }: Sides, amount: (cost: Cost) => number) => ({
  ours: exactly(amount(ours)),
  floor: exactly(amount(floor)),
  peer: exactly(amount(peer)),
});

export const measureCosts = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, addAccountMember } = workload.bundles;
  const proxy = await startEngineProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const getting = async (size: "50 KiB" | "25 MiB"): Promise<Sides> => ({
    ours: await costOf(getMessage.ours, read(workload, size), proxy),
    floor: await costOf(getMessage.floor, read(workload, size), proxy),
    peer: await costOf(getMessage["postal-mime"], read(workload, size), proxy),
  });
  const adding = (bundle: string) => costOf(bundle, addAccountMemberEvent(workload.caller), proxy);
  const small = await getting("50 KiB");
  const large = await getting("25 MiB");
  const add: Sides = {
    ours: await adding(addAccountMember.ours),
    floor: await adding(addAccountMember.floor),
    peer: await adding(addAccountMember.powertools),
  };
  proxy.stop();
  return [
    rowWithin(
      "Add Account Member with a key (round trips)",
      each(add, ({ roundTrips }) => roundTrips),
      2,
    ),
    row(
      "Add Account Member with a key (calls)",
      each(add, ({ calls }) => calls),
    ),
    row(
      "Add Account Member with a key (write units)",
      each(add, ({ writeUnits }) => writeUnits),
    ),
    row(
      "Add Account Member with a key (read units)",
      each(add, ({ readUnits }) => readUnits),
    ),
    row(
      "Get Message, 50 KiB (round trips)",
      each(small, ({ roundTrips }) => roundTrips),
    ),
    row(
      "Get Message, 50 KiB (read units)",
      each(small, ({ readUnits }) => readUnits),
    ),
    row("Add Account Member with a key ($ per million)", each(add, dollarsPerMillion)),
    row("Get Message, 50 KiB ($ per million)", each(small, dollarsPerMillion)),
    row("Get Message, 25 MiB ($ per million)", each(large, dollarsPerMillion)),
  ];
};

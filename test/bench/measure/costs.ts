/** What a request costs: calls, round trips, capacity units, dollars. Counted, so that they do not vary. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import { type Cost, type EngineProxy, startEngineProxy } from "../engine-proxy.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly } from "../figure.ts";
import { startFunction } from "../function.ts";
import { dollarsPerMillion } from "../prices.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { read, type Workload } from "./workload.ts";

/** What each of two requests costs. */
const costsOf = async (
  bundle: string,
  [first, second]: [APIGatewayProxyEvent, APIGatewayProxyEvent],
  proxy: EngineProxy,
): Promise<[Cost, Cost]> => {
  const started = await startFunction(bundle, {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${proxy.port}`,
  });
  const costOf = async (event: APIGatewayProxyEvent): Promise<Cost> => {
    await started.run({ events: [event] });
    return proxy.take();
  };
  const costs: [Cost, Cost] = [await costOf(first), await costOf(second)];
  await started.stop();
  return costs;
};

type Sides = Record<"ours" | "floor" | "peer", Cost>;

const each = ({ ours, floor, peer }: Sides, amount: (cost: Cost) => number) => ({
  ours: exactly(amount(ours)),
  floor: exactly(amount(floor)),
  peer: exactly(amount(peer)),
});

export const measureCosts = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, addAccountMember } = workload.bundles;
  const proxy = await startEngineProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const getting = (bundle: string) =>
    costsOf(bundle, [read(workload, "50 KiB"), read(workload, "25 MiB")], proxy);
  /** The second time, the key has been used: the floor does not look, so it gets a new one. */
  const adding = (bundle: string, replays: boolean) => {
    const event = addAccountMemberEvent(workload.caller);
    return costsOf(bundle, [event, replays ? event : addAccountMemberEvent(workload.caller)], proxy);
  };
  const [smallOurs, largeOurs] = await getting(getMessage.ours);
  const [smallFloor, largeFloor] = await getting(getMessage.floor);
  const [smallPeer, largePeer] = await getting(getMessage["postal-mime"]);
  const small: Sides = { ours: smallOurs, floor: smallFloor, peer: smallPeer };
  const large: Sides = { ours: largeOurs, floor: largeFloor, peer: largePeer };
  const [addOurs, replayedOurs] = await adding(addAccountMember.ours, true);
  const [addFloor] = await adding(addAccountMember.floor, false);
  const [addPeer, replayedPeer] = await adding(addAccountMember.powertools, true);
  const add: Sides = { ours: addOurs, floor: addFloor, peer: addPeer };
  proxy.stop();
  return [
    rowWithin(
      "Add Account Member with a key (round trips)",
      each(add, ({ roundTrips }) => roundTrips),
      2,
    ),
    rowWithin(
      "Add Account Member with a key, replayed (round trips)",
      { ours: exactly(replayedOurs.roundTrips), peer: exactly(replayedPeer.roundTrips) },
      1,
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

/** The calls, round trips, capacity units and dollars of a request. They are counted, so they do not vary. */
import { type Cost, type EngineProxy, startEngineProxy } from "../engine-proxy.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly } from "../figure.ts";
import { startFunction } from "../function.ts";
import type { Event } from "../function-process.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { read, type Workload } from "./workload.ts";

/** US dollars for a million units on demand, us-east-1, standard class, since 1 November 2024. */
const dollars = { readUnits: 0.125, writeUnits: 0.625 };

const dollarsPerMillion = ({ readUnits, writeUnits }: Cost): number =>
  readUnits * dollars.readUnits + writeUnits * dollars.writeUnits;

/** Returns the cost of the cold start, then the cost of each request. */
const costsOf = async (bundle: string, events: Event[], proxy: EngineProxy): Promise<Cost[]> => {
  const started = await startFunction(bundle, {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${proxy.port}`,
  });
  const costs = [await proxy.take()];
  for (const event of events) {
    await started.run({ events: [event] });
    costs.push(await proxy.take());
  }
  await started.stop();
  return costs;
};

export const measureCosts = async (workload: Workload): Promise<Row[]> => {
  const { bundles } = workload;
  const proxy = await startEngineProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const get = [read(workload, "50 KiB"), read(workload, "25 MiB")];
  const poll = read(workload, "25 MiB", { fields: "status" });
  const add = () => addAccountMemberEvent(workload.caller);
  const [ours, theirs] = [add(), add()];
  const get_ = {
    ours: await costsOf(bundles.getMessage, [...get, poll], proxy),
    floor: await costsOf(bundles.getMessageFloor, get, proxy),
    peer: await costsOf(bundles.getMessagePeer, get, proxy),
  };
  const [, pollFloor] = await costsOf(bundles.getStatusFloor, [poll], proxy);
  const add_ = {
    ours: await costsOf(bundles.addMember, [ours, ours], proxy),
    floor: await costsOf(bundles.addMemberFloor, [add()], proxy),
    peer: await costsOf(bundles.addMemberPeer, [theirs, theirs], proxy),
  };
  proxy.stop();

  type Sides = Record<"ours" | "floor" | "peer", Cost[]>;
  /** The figures of the request at an index: 0 is the cold start. */
  const at = (sides: Sides, index: number, amount: (cost: Cost) => number) => {
    const of = ([...costs]: Cost[]) => {
      const cost = costs[index];
      return cost && exactly(amount(cost));
    };
    return { ours: of(sides.ours) ?? exactly(Number.NaN), floor: of(sides.floor), peer: of(sides.peer) };
  };
  const roundTrips = (cost: Cost) => cost.roundTrips;
  const calls = (cost: Cost) => cost.calls;
  const readUnits = (cost: Cost) => cost.readUnits;
  const writeUnits = (cost: Cost) => cost.writeUnits;
  const pollSides = { ours: [get_.ours[3]], floor: [pollFloor], peer: [] } as unknown as Sides;
  const withKey = "Add Account Member with a key";
  return [
    row("Get Message, cold start (read units)", { ours: at(get_, 0, readUnits).ours }),
    row("Add Account Member, cold start (read units)", { ours: at(add_, 0, readUnits).ours }),
    rowWithin(`${withKey} (round trips)`, at(add_, 1, roundTrips), 2),
    rowWithin(`${withKey}, replayed (round trips)`, at(add_, 2, roundTrips), 1),
    row(`${withKey} (calls)`, at(add_, 1, calls)),
    row(`${withKey} (write units)`, at(add_, 1, writeUnits)),
    row(`${withKey} (read units)`, at(add_, 1, readUnits)),
    row("Get Message, 50 KiB (round trips)", at(get_, 1, roundTrips)),
    row("Get Message, 50 KiB (read units)", at(get_, 1, readUnits)),
    row("Get Message, 25 MiB (read units)", at(get_, 2, readUnits)),
    row("Get Message, 25 MiB, fields=status (read units)", at(pollSides, 0, readUnits), {
      atMost: 1,
      of: "floor",
    }),
    row(`${withKey} ($ per million)`, at(add_, 1, dollarsPerMillion)),
    row("Get Message, 50 KiB ($ per million)", at(get_, 1, dollarsPerMillion)),
    row("Get Message, 25 MiB ($ per million)", at(get_, 2, dollarsPerMillion)),
  ];
};

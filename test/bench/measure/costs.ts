/** The calls, round trips, capacity units and dollars of a request. They are counted, so they do not vary. */
import { type Cost, type EngineProxy, startEngineProxy } from "../engine-proxy.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly } from "../figure.ts";
import { startFunction } from "../function.ts";
import type { Event } from "../function-process.ts";
import { type Goal, type Row, row, rowWithin } from "../row.ts";
import { read, times, type Workload } from "./workload.ts";

/** US dollars for a million units on demand, us-east-1, standard class, since 1 November 2024. */
const dollars = { readUnits: 0.125, writeUnits: 0.625 };

type Costs = Cost & { dollarsPerMillion: number };

/** Returns the costs of the cold start, then the costs of each request. */
const costsOf = async (bundle: string, events: Event[], proxy: EngineProxy): Promise<Costs[]> => {
  const take = async (): Promise<Costs> => {
    const cost = await proxy.take();
    const { readUnits, writeUnits } = cost;
    const dollarsPerMillion = readUnits * dollars.readUnits + writeUnits * dollars.writeUnits;
    return { ...cost, dollarsPerMillion };
  };
  const started = await startFunction(bundle, {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${proxy.port}`,
  });
  const costs = [await take()];
  for (const event of events) {
    await started.run({ events: [event] });
    costs.push(await take());
  }
  await started.stop();
  return costs;
};

type Sides = Record<"ours" | "floor" | "peer", Costs[]>;

/** @param request 0 is the cold start. A side without the request has no figure. */
const sidesOf = ({ ours, floor, peer }: Sides, request: number, unit: keyof Costs) => {
  const of = (costs: Costs[]) => costs.map((cost) => exactly(cost[unit]))[request];
  return { ours: of(ours) ?? exactly(Number.NaN), floor: of(floor), peer: of(peer) };
};

export const measureCosts = async (workload: Workload): Promise<Row[]> => {
  const { bundles, caller } = workload;
  const proxy = await startEngineProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const reads = [read(workload, "50 KiB"), read(workload, "25 MiB")];
  const poll = [read(workload, "25 MiB", { fields: "status" })];
  const twice = () => times(2, addAccountMemberEvent(caller));
  const get = {
    ours: await costsOf(bundles.getMessage, reads, proxy),
    floor: await costsOf(bundles.getMessageFloor, reads, proxy),
    peer: await costsOf(bundles.getMessagePeer, reads, proxy),
  };
  const getStatus = {
    ours: await costsOf(bundles.getMessage, poll, proxy),
    floor: await costsOf(bundles.getStatusFloor, poll, proxy),
    peer: [],
  };
  const add = {
    ours: await costsOf(bundles.addMember, twice(), proxy),
    floor: await costsOf(bundles.addMemberFloor, [addAccountMemberEvent(caller)], proxy),
    peer: await costsOf(bundles.addMemberPeer, twice(), proxy),
  };
  proxy.stop();

  const withKey = "Add Account Member with a key";
  const pollName = "Get Message, 25 MiB, fields=status (read units)";
  const asFloor: Goal = { atMost: 1.05, of: "floor" };
  return [
    rowWithin(`${withKey} (round trips)`, sidesOf(add, 1, "roundTrips"), 2),
    rowWithin(`${withKey}, replayed (round trips)`, sidesOf(add, 2, "roundTrips"), 1),
    rowWithin("Get Message, 50 KiB (round trips)", sidesOf(get, 1, "roundTrips"), 1),
    row(pollName, sidesOf(getStatus, 1, "readUnits"), { atMost: 1, of: "floor" }),
    row(`${withKey} ($ per million)`, sidesOf(add, 1, "dollarsPerMillion"), asFloor),
    row("Get Message, 50 KiB ($ per million)", sidesOf(get, 1, "dollarsPerMillion"), asFloor),
    row("Get Message, 25 MiB ($ per million)", sidesOf(get, 2, "dollarsPerMillion"), asFloor),
  ];
};

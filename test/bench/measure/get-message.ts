/** Get Message, warm: small and large emails, the stored bytes passed on, and single fields. */

import { readSegments } from "../../../lib/messages/content/read-segments.ts";
import { findMessage } from "../../../lib/messages/read/find-message.ts";
import { openTable } from "../../../lib/table/table.ts";
import { cpuOf, exactly, type Figure, figure, firstByteOf, lastByteOf } from "../figure.ts";
import type { Report } from "../function-process.ts";
import { type Goal, type Row, row, rowWithin } from "../row.ts";
import { each, inTurns } from "../turns.ts";
import { read, type Size, sizes, times, type Workload } from "./workload.ts";

/** Near the engine, because milliseconds of the network would hide the processor time. */
export const measureWarm = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getMessageFloorSameClient, getMessagePeer } = workload.bundles;
  const rowsOf = async (size: "1 KiB" | "50 KiB", ofFloor: number, ofPeer: number): Promise<Row[]> => {
    const reports = await inTurns(
      { ours: getMessage, floor: getMessageFloorSameClient, peer: getMessagePeer },
      { turn: () => times(50, read(workload, size)), rounds: 3, warmUpTurns: 8, processes: 5 },
    );
    const { ours, floor, peer } = each(reports, cpuOf);
    const name = `Get Message, ${size}, warm`;
    return [
      row(`${name} (CPU ms/request)`, { ours, floor }, { atMost: ofFloor, of: "floor" }),
      row(`${name}, beside the peer (CPU ms/request)`, { ours, peer }, { atMost: ofPeer, of: "peer" }),
    ];
  };
  return [...(await rowsOf("1 KiB", 1.3, 1)), ...(await rowsOf("50 KiB", 1.05, 0.67))];
};

/** What is compressed while it is sent, beside the same response without compression. */
export const measureCompressed = async ({ bundles, ...workload }: Workload): Promise<Row[]> => {
  const rowOf = async (size: Size, accept: string, requests: number, atMost: number): Promise<Row> => {
    const turns = {
      plain: times(requests, read({ bundles, ...workload }, size)),
      compressed: times(requests, read({ bundles, ...workload }, size, { accept })),
    };
    const reports = await inTurns(
      { plain: bundles.getMessage, compressed: bundles.getMessage },
      { turn: (name) => turns[name], rounds: 3, warmUpTurns: requests > 1 ? 8 : 1 },
    );
    const { plain, compressed } = each(reports, cpuOf);
    const goal: Goal = { atMost, of: ["without compression", plain] };
    return row(`Get Message, ${size}, ${accept} (CPU ms/request)`, { ours: compressed }, goal);
  };
  return [
    await rowOf("50 KiB", "gzip", 50, 2.5),
    await rowOf("25 MiB", "gzip", 1, 6),
    await rowOf("25 MiB", "zstd", 1, 3),
  ];
};

const plans = {
  "50 KiB": { rounds: 20, warmUpTurns: 100 },
  "1 MiB": { rounds: 8, warmUpTurns: 30, processes: 3 },
  "5 MiB": { rounds: 5, warmUpTurns: 6 },
  "25 MiB": { rounds: 2, warmUpTurns: 1 },
} as const satisfies Partial<Record<Size, object>>;

const readAcrossNetwork = (workload: Workload, size: keyof typeof plans) => {
  const { getMessage, getMessageFloor, getMessagePeer } = workload.bundles;
  return inTurns(
    { ours: getMessage, floor: getMessageFloor, peer: getMessagePeer },
    { turn: () => [read(workload, size)], environment: () => workload.acrossNetwork, ...plans[size] },
  );
};

const peakOf = (reports: Report[]): number => reports.at(-1)?.peakMebibytes ?? Number.NaN;

/** Large emails across the network, beside the SDK's default client and beside the peer. */
export const measureLarge = async (workload: Workload): Promise<Row[]> => {
  const small = await readAcrossNetwork(workload, "50 KiB");
  const { ours, peer } = each(small, lastByteOf);
  const smallName = "Get Message, 50 KiB, across the network, last byte (ms)";
  const rowsOf = async (size: keyof typeof plans, timesPeer: number): Promise<Row[]> => {
    const large = await readAcrossNetwork(workload, size);
    const name = `Get Message, ${size}, across the network`;
    const mebibytes = sizes[size] / 1024 ** 2;
    const throughput = (reports: Report[]): Figure =>
      figure(reports.map((report) => (1000 * mebibytes) / lastByteOf([report]).median));
    const memory = each(large, (reports, side) => exactly(peakOf(reports) - peakOf(small[side])));
    const memoryName = `${name}, peak memory above that of 50 KiB (MiB)`;
    const firstByteGoal: Goal = { atMost: 3, of: ["ours at 50 KiB", firstByteOf(small.ours)] };
    const throughputGoal: Goal = { atLeast: timesPeer, of: "peer" };
    return [
      row(`${name} (CPU ms)`, each(large, cpuOf), { atMost: 0.8, of: "floor" }),
      row(`${name}, last byte (ms)`, each(large, lastByteOf), { atMost: 0.9, of: "floor" }),
      row(`${name}, first byte (ms)`, each(large, firstByteOf), firstByteGoal),
      row(`${name}, throughput (MiB of email/s)`, each(large, throughput), throughputGoal),
      ...(size === "25 MiB" ? [rowWithin(memoryName, memory, 110)] : []),
    ];
  };
  return [
    row(smallName, { ours, peer }, { atMost: 0.67, of: "peer" }),
    ...(await rowsOf("1 MiB", 3)),
    ...(await rowsOf("5 MiB", 3)),
    ...(await rowsOf("25 MiB", 6)),
  ];
};

/** Two parts of the bundle whose gain a comment states. */
export const measureBuild = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getMessageMarking, getMessageSdkBase64 } = workload.bundles;
  const reports = await inTurns(
    { ours: getMessage, marking: getMessageMarking, sdkBase64: getMessageSdkBase64 },
    { turn: () => times(2, read(workload, "5 MiB")), rounds: 5, warmUpTurns: 6 },
  );
  const { ours, marking, sdkBase64 } = each(reports, cpuOf);
  return [
    row(
      "Get Message, 5 MiB, without incremental marking (CPU ms)",
      { ours },
      { atMost: 0.8, of: ["with it", marking] },
    ),
    row("Get Message, 5 MiB, base64 in place (CPU ms)", { ours }, { atMost: 0.8, of: ["the SDK's own", sdkBase64] }),
  ];
};

const storedBytes = async ({ caller, ids }: Workload, size: Size): Promise<number> => {
  const message = await findMessage(openTable(), caller.account_id, ids[size], Date.now());
  let bytes = 0;
  if (message) for await (const segment of readSegments(message)) bytes += segment.length;
  return bytes;
};

const bytesOf = ([report]: Report[]): Figure => exactly(report?.invocations[0]?.bytes ?? Number.NaN);

/** A caller who accepts zstd, beside the same reads with their bytes passed on. */
export const measureAsStored = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getMessageFloorSameClient } = workload.bundles;
  const rowsOf = async (size: Size, requests: number): Promise<Row[]> => {
    const reports = await inTurns(
      { ours: getMessage, floor: getMessageFloorSameClient },
      { turn: () => times(requests, read(workload, size, { accept: "zstd" })), rounds: 5, warmUpTurns: 5 },
    );
    const stored = exactly(await storedBytes(workload, size));
    const sent = { ours: bytesOf(reports.ours) };
    const name = `Get Message, ${size}, as stored`;
    return [
      row(`${name} (CPU ms)`, each(reports, cpuOf), { atMost: 1.1, of: "floor" }),
      row(`${name} (bytes on the wire)`, sent, { atMost: 1.05, of: ["the stored bytes", stored] }),
    ];
  };
  return [...(await rowsOf("1 MiB", 12)), ...(await rowsOf("5 MiB", 4))];
};

/** The status of a message, beside a GetItem of the head. */
export const measureFields = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getStatusFloor } = workload.bundles;
  const reports = await inTurns(
    { ours: getMessage, floor: getStatusFloor },
    {
      turn: () => times(5, read(workload, "25 MiB", { fields: "status" })),
      rounds: 40,
      warmUpTurns: 75,
      processes: 3,
    },
  );
  const goal: Goal = { atMost: 1.3, of: "floor" };
  return [row("Get Message, 25 MiB, fields=status (CPU ms/request)", each(reports, cpuOf), goal)];
};

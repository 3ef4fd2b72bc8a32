/** Get Message, warm: small and large emails, the stored bytes passed on, and single fields. */
import { segmentsOf } from "../../../lib/table/keys.ts";
import { listItems } from "../../../lib/table/list.ts";
import { openTable } from "../../../lib/table/table.ts";
import { cpuOf, exactly, figure, millisecondsOf } from "../figure.ts";
import type { Report } from "../function-process.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { inTurns } from "../turns.ts";
import { read, type Size, sizes, times, type Workload } from "./workload.ts";

/** Near the engine, so that the processor does most of the waiting. */
export const measureWarm = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getMessageFloorSameClient, getMessagePeer } = workload.bundles;
  const turn = () => times(80, read(workload, "50 KiB"));
  const reports = await inTurns(
    {
      ours: { bundle: getMessage, turn },
      floor: { bundle: getMessageFloorSameClient, turn },
      peer: { bundle: getMessagePeer, turn },
    },
    { rounds: 3, warmUpTurns: 7, processes: 3 },
  );
  const sides = { ours: cpuOf(reports.ours), floor: cpuOf(reports.floor), peer: cpuOf(reports.peer) };
  return [
    row("Get Message, 50 KiB, warm (CPU ms/request)", sides, { atMost: 1.05, of: "floor" }),
    row(
      "Get Message, 50 KiB, warm, beside the peer (CPU ms/request)",
      { ours: sides.ours, peer: sides.peer },
      { atMost: 0.67, of: "peer" },
    ),
  ];
};

type Sides = Record<"ours" | "floor" | "peer", Report[]>;

/** The bytes of a whole response take their time, so a peak of memory needs only a few of them. */
const plans: Record<Size, { rounds: number; warmUpTurns: number }> = {
  "50 KiB": { rounds: 20, warmUpTurns: 100 },
  "1 MiB": { rounds: 15, warmUpTurns: 40 },
  "5 MiB": { rounds: 9, warmUpTurns: 15 },
  "25 MiB": { rounds: 7, warmUpTurns: 4 },
};

const readLarge = (workload: Workload, size: Size): Promise<Sides> => {
  const { getMessage, getMessageFloor, getMessagePeer } = workload.bundles;
  const environment = workload.acrossNetwork;
  const turn = () => [read(workload, size)];
  return inTurns(
    {
      ours: { bundle: getMessage, environment, turn },
      floor: { bundle: getMessageFloor, environment, turn },
      peer: { bundle: getMessagePeer, environment, turn },
    },
    plans[size],
  );
};

const peakOf = (reports: Report[]): number => reports.at(-1)?.peakMebibytes ?? Number.NaN;

/** Across the network: goals for large emails, beside the SDK's default client and beside the peer. */
export const measureLarge = async (workload: Workload): Promise<Row[]> => {
  const small = await readLarge(workload, "50 KiB");
  const firstByte = millisecondsOf(small.ours, "first");
  const rows = [
    row(
      "Get Message, 50 KiB, across the network, last byte (ms)",
      { ours: millisecondsOf(small.ours, "last"), peer: millisecondsOf(small.peer, "last") },
      { atMost: 0.67, of: "peer" },
    ),
  ];
  for (const [size, timesPeer] of [
    ["1 MiB", 3],
    ["5 MiB", 3],
    ["25 MiB", 6],
  ] as const) {
    const large = await readLarge(workload, size);
    const name = `Get Message, ${size}, across the network`;
    const sides = (pick: (reports: Report[]) => ReturnType<typeof figure>) => ({
      ours: pick(large.ours),
      floor: pick(large.floor),
      peer: pick(large.peer),
    });
    const throughput = (reports: Report[]) => {
      const mebibytes = sizes[size] / 1024 ** 2;
      return figure(reports.map(({ invocations: [one] }) => (1000 * mebibytes) / (one?.last ?? Number.NaN)));
    };
    const first = (reports: Report[]) => millisecondsOf(reports, "first");
    const last = (reports: Report[]) => millisecondsOf(reports, "last");
    const above = (side: keyof Sides) => exactly(peakOf(large[side]) - peakOf(small[side]));
    const memory = { ours: above("ours"), floor: above("floor"), peer: above("peer") };
    const memoryName = `${name}, peak memory above that of 50 KiB (MiB)`;
    rows.push(
      row(`${name} (CPU ms)`, sides(cpuOf), { atMost: 0.8, of: "floor" }),
      row(`${name}, last byte (ms)`, sides(last), { atMost: 0.9, of: "floor" }),
      row(`${name}, first byte (ms)`, sides(first), { atMost: 3, of: ["ours at 50 KiB", firstByte] }),
      row(`${name}, throughput (MiB of email/s)`, sides(throughput), { atLeast: timesPeer, of: "peer" }),
      size === "25 MiB" ? rowWithin(memoryName, memory, 110) : row(memoryName, memory),
    );
  }
  return rows;
};

/** The two parts of the build whose gain their comments state. */
export const measureBuild = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getMessageMarking, getMessageSdkBase64 } = workload.bundles;
  const turn = () => times(2, read(workload, "5 MiB"));
  const reports = await inTurns(
    {
      ours: { bundle: getMessage, turn },
      marking: { bundle: getMessageMarking, turn },
      sdkBase64: { bundle: getMessageSdkBase64, turn },
    },
    { rounds: 9, warmUpTurns: 8 },
  );
  const ours = cpuOf(reports.ours);
  const rowOf = (name: string, reports: Report[]) =>
    row(`Get Message, 5 MiB, beside ${name} (CPU ms)`, { ours }, { of: [name, cpuOf(reports)] });
  return [rowOf("incremental marking", reports.marking), rowOf("the SDK's own base64", reports.sdkBase64)];
};

const storedBytes = async ({ caller, ids }: Workload, size: Size): Promise<number> => {
  const segments = await listItems(openTable(), segmentsOf(caller.account_id, ids[size]), "bytes");
  return segments.reduce((sum, { bytes }) => sum + (bytes as Uint8Array).length, 0);
};

/** A caller who accepts zstd, beside the same reads with their bytes passed on. */
export const measureAsStored = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getMessageFloorSameClient } = workload.bundles;
  const rows: Row[] = [];
  for (const [size, requests] of [
    ["1 MiB", 20],
    ["5 MiB", 6],
  ] as const) {
    const turn = () => times(requests, read(workload, size, { accept: "zstd" }));
    const { ours, floor } = await inTurns(
      { ours: { bundle: getMessage, turn }, floor: { bundle: getMessageFloorSameClient, turn } },
      { rounds: 9, warmUpTurns: 5 },
    );
    const name = `Get Message, ${size}, as stored`;
    const bytes = exactly(ours[0]?.invocations[0]?.bytes ?? Number.NaN);
    rows.push(
      row(`${name} (CPU ms)`, { ours: cpuOf(ours), floor: cpuOf(floor) }, { atMost: 1.1, of: "floor" }),
      row(
        `${name} (bytes on the wire)`,
        { ours: bytes },
        {
          atMost: 1.05,
          of: ["the stored bytes", exactly(await storedBytes(workload, size))],
        },
      ),
    );
  }
  return rows;
};

/** The status of a message, beside a GetItem of the head and beside the whole message. */
export const measureFields = async (workload: Workload): Promise<Row[]> => {
  const { getMessage, getStatusFloor } = workload.bundles;
  const status = (size: Size) => () => times(50, read(workload, size, { fields: "status" }));
  const reports = await inTurns(
    {
      ours: { bundle: getMessage, turn: status("25 MiB") },
      small: { bundle: getMessage, turn: status("50 KiB") },
      floor: { bundle: getStatusFloor, turn: status("25 MiB") },
      whole: { bundle: getMessage, turn: () => [read(workload, "25 MiB")] },
    },
    { rounds: 5, warmUpTurns: 6 },
  );
  const bytesOf = (reports: Report[]) => exactly(reports[0]?.invocations[0]?.bytes ?? Number.NaN);
  const ours = { ours: millisecondsOf(reports.ours, "last") };
  return [
    row(
      "Get Message, 25 MiB, fields=status (CPU ms/request)",
      { ours: cpuOf(reports.ours), floor: cpuOf(reports.floor) },
      { atMost: 1.3, of: "floor" },
    ),
    row("Get Message, 25 MiB, fields=status (ms)", ours, {
      of: ["the whole message", millisecondsOf(reports.whole, "last")],
    }),
    row(
      "Get Message, 25 MiB, fields=status (bytes)",
      { ours: bytesOf(reports.ours) },
      {
        of: ["the whole message", bytesOf(reports.whole)],
      },
    ),
    row("Get Message, 25 MiB, fields=status, beside 50 KiB (ms)", ours, {
      of: ["50 KiB", millisecondsOf(reports.small, "last")],
    }),
  ];
};

/** Get Message for a caller who accepts zstd and is sent what is stored, beside the same for one who accepts no coding. */
import { segmentsOf } from "../../../lib/table/keys.ts";
import { listItems } from "../../../lib/table/list.ts";
import { openTable } from "../../../lib/table/table.ts";
import { exactly, type Figure, figure } from "../figure.ts";
import { startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import { tables } from "../stored.ts";
import { read, type Size, type Workload } from "./workload.ts";

const codings = ["zstd", "identity"] as const;
const requestsOf = { "1 MiB": 20, "5 MiB": 6 } as const satisfies Partial<Record<Size, number>>;

/** Of its compressed content. */
const storedBytes = async ({ caller, ids }: Workload, size: Size): Promise<number> => {
  const segments = await listItems(
    openTable({ name: tables.TABLE_NAME }),
    segmentsOf(caller.account_id, ids[size]),
    "bytes",
  );
  return segments.reduce((sum, { bytes }) => sum + (bytes as Uint8Array).length, 0);
};

export const measureAsStored = async (workload: Workload, rounds: number): Promise<Row[]> => {
  const rows: Row[] = [];
  const loaded = await startFunction(workload.bundles.getMessage.ours);
  const accepting = (coding: string, size: Size) => {
    const event = read(workload, size);
    return { ...event, headers: { ...event.headers, "Accept-Encoding": coding } };
  };
  await loaded.run({ events: Array(100).fill(accepting("identity", "50 KiB")) });

  for (const size of ["1 MiB", "5 MiB"] as const) {
    const events = (coding: string) => Array(requestsOf[size]).fill(accepting(coding, size));
    for (const coding of [...codings, ...codings, ...codings]) await loaded.run({ events: events(coding) });
    const reports = await inRounds(rounds, codings, (coding) => loaded.run({ events: events(coding) }));
    const [zstd, identity] = codings.map((coding) =>
      figure(reports[coding].map(({ cpuMilliseconds }) => cpuMilliseconds / requestsOf[size])),
    ) as [Figure, Figure];
    const name = `Get Message, ${size}, sent as it is stored`;
    rows.push(
      row(`${name} (CPU ms/request)`, { ours: zstd }, { atMost: 0.5, of: ["ours uncompressed", identity] }),
      row(
        `${name} (bytes on the wire)`,
        { ours: exactly(reports.zstd[0]?.invocations[0]?.bytes ?? Number.NaN) },
        { atMost: 1.05, of: ["the stored bytes", exactly(await storedBytes(workload, size))] },
      ),
    );
  }
  await loaded.stop();
  return rows;
};

/**
 * Get Message of large emails, across the network that lies between a function and DynamoDB: time to first byte, time
 * to the last one, peak of memory; each variant in a process of its own.
 */
import { exactly, type Figure, figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { read, type Size, sizes, type Workload } from "./workload.ts";

/** The floor reads one page ahead, as we did: what it would tell, `onePage` tells of the same code. */
const variants = ["ours", "onePage", "mailsplit", "postal-mime"] as const;
type Variant = (typeof variants)[number];

/** What one variant does with an email of one size; milliseconds, and throughput in MiB of email a second. */
type Performance = { first: Figure; last: Figure; throughput: Figure; peakMebibytes: number };

const roundsOf: Record<Size, number> = { "50 KiB": 20, "1 MiB": 15, "5 MiB": 9, "25 MiB": 5 };

/** Requests after which the code is as fast as it gets: small ones, which are cheap, then of the size itself. */
const warmUps = { small: 100, ofSize: { "50 KiB": 0, "1 MiB": 40, "5 MiB": 15, "25 MiB": 4 } } as const;

const measureSize = async (workload: Workload, size: Size): Promise<Record<Variant, Performance>> => {
  const functions = {} as Record<Variant, LoadedFunction>;
  const warmUp = async (variant: Variant): Promise<void> => {
    functions[variant] = await startFunction(workload.bundles.getMessage[variant], workload.acrossNetwork);
    await functions[variant].run({ events: Array(warmUps.small).fill(read(workload, "50 KiB")) });
    await functions[variant].run({ events: Array(warmUps.ofSize[size]).fill(read(workload, size)) });
  };
  await Promise.all(variants.map(warmUp));
  const reports = await inRounds(roundsOf[size], variants, (variant) =>
    functions[variant].run({ events: [read(workload, size)] }),
  );
  await Promise.all(variants.map((variant) => functions[variant].stop()));

  const mebibytes = sizes[size] / 1024 ** 2;
  const performance = (variant: Variant): Performance => {
    const invocations = reports[variant].flatMap((report) => report.invocations);
    return {
      first: figure(invocations.map(({ first }) => first)),
      last: figure(invocations.map(({ last }) => last)),
      throughput: figure(invocations.map(({ last }) => (1000 * mebibytes) / last)),
      peakMebibytes: reports[variant].at(-1)?.peakMebibytes ?? Number.NaN,
    };
  };
  return Object.fromEntries(variants.map((variant) => [variant, performance(variant)])) as Record<
    Variant,
    Performance
  >;
};

/** Of the two peers, the one that does better. */
const better = (a: Figure, b: Figure, isMoreBetter: boolean): Figure =>
  a.median > b.median === isMoreBetter ? a : b;

const goals = {
  "1 MiB": { timesPeer: 3 },
  "5 MiB": { timesPeer: 3, ofOnePage: 0.55 },
  "25 MiB": { timesPeer: 6, ofOnePage: 0.4, firstByte: 3, mebibytes: 96 },
} as const satisfies Partial<Record<Size, object>>;

type Goals = { timesPeer: number; ofOnePage?: number; firstByte?: number; mebibytes?: number };

const rowsOf = (
  size: keyof typeof goals,
  of: Record<Variant, Performance>,
  small: Record<Variant, Performance>,
): Row[] => {
  const { timesPeer, ofOnePage, firstByte, mebibytes }: Goals = goals[size];
  const name = `Get Message, ${size}, across the network`;
  const peerOf = (pick: (performance: Performance) => Figure, isMoreBetter: boolean): Figure =>
    better(pick(of.mailsplit), pick(of["postal-mime"]), isMoreBetter);
  const above = (variant: Variant) => exactly(of[variant].peakMebibytes - small[variant].peakMebibytes);
  const memoryName = `${name}, peak memory above that of 50 KiB (MiB)`;
  const memory = { ours: above("ours"), peer: better(above("mailsplit"), above("postal-mime"), false) };
  return [
    row(
      `${name}, first byte (ms)`,
      { ours: of.ours.first, peer: peerOf(({ first }) => first, false) },
      firstByte ? { atMost: firstByte, of: ["ours at 50 KiB", small.ours.first] } : undefined,
    ),
    row(
      `${name}, throughput (MiB of email/s)`,
      { ours: of.ours.throughput, peer: peerOf(({ throughput }) => throughput, true) },
      { atLeast: timesPeer, of: "peer" },
    ),
    ...(ofOnePage
      ? [
          row(
            `${name}, last byte (ms)`,
            { ours: of.ours.last, peer: peerOf(({ last }) => last, false) },
            { atMost: ofOnePage, of: ["ours with one page under way", of.onePage.last] },
          ),
        ]
      : []),
    mebibytes ? rowWithin(memoryName, memory, mebibytes) : row(memoryName, memory),
  ];
};

export const measureLarge = async (workload: Workload): Promise<Row[]> => {
  const small = await measureSize(workload, "50 KiB");
  const rows = [
    row(
      "Get Message, 50 KiB, across the network, last byte (ms)",
      { ours: small.ours.last, peer: better(small.mailsplit.last, small["postal-mime"].last, false) },
      { atMost: 0.67, of: "peer" },
    ),
  ];
  for (const size of ["1 MiB", "5 MiB", "25 MiB"] as const) {
    rows.push(...rowsOf(size, await measureSize(workload, size), small));
  }
  return rows;
};

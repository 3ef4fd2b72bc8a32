/** Get Message of large emails: time to first byte, throughput, peak of memory; each in a process of its own. */
import { exactly, type Figure, figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { read, type Size, sizes, type Workload } from "./workload.ts";

const variants = ["ours", "floor", "mailsplit", "postal-mime"] as const;
type Variant = (typeof variants)[number];

/** What one variant does with an email of one size; throughput is in MiB of email a second. */
type Performance = { first: Figure; throughput: Figure; peakMebibytes: number };

const roundsOf: Record<Size, number> = { "50 KiB": 40, "1 MiB": 12, "5 MiB": 6, "25 MiB": 4 };

/** Requests after which the code is as fast as it gets: small ones, which are cheap, then of the size itself. */
const warmUps = { small: 200, ofSize: { "50 KiB": 0, "1 MiB": 6, "5 MiB": 2, "25 MiB": 1 } } as const;

const measureSize = async (workload: Workload, size: Size): Promise<Record<Variant, Performance>> => {
  const functions = {} as Record<Variant, LoadedFunction>;
  for (const variant of variants) {
    functions[variant] = await startFunction(workload.bundles.getMessage[variant]);
    await functions[variant].run({ events: Array(warmUps.small).fill(read(workload, "50 KiB")) });
    await functions[variant].run({ events: Array(warmUps.ofSize[size]).fill(read(workload, size)) });
  }
  const reports = await inRounds(roundsOf[size], variants, (variant) =>
    functions[variant].run({ events: [read(workload, size)] }),
  );
  await Promise.all(variants.map((variant) => functions[variant].stop()));

  const mebibytes = sizes[size] / 1024 ** 2;
  const performance = (variant: Variant): Performance => {
    const invocations = reports[variant].flatMap((report) => report.invocations);
    return {
      first: figure(invocations.map(({ first }) => first)),
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

const rowsOf = (size: Size, of: Record<Variant, Performance>, small: Record<Variant, Performance>): Row[] => {
  const first = {
    ours: of.ours.first,
    floor: of.floor.first,
    peer: better(of.mailsplit.first, of["postal-mime"].first, false),
  };
  const throughput = {
    ours: of.ours.throughput,
    floor: of.floor.throughput,
    peer: better(of.mailsplit.throughput, of["postal-mime"].throughput, true),
  };
  const above = (variant: Variant) => exactly(of[variant].peakMebibytes - small[variant].peakMebibytes);
  const memory = {
    ours: above("ours"),
    floor: above("floor"),
    peer: better(above("mailsplit"), above("postal-mime"), false),
  };
  return [
    row(
      `Get Message, ${size}, first byte (ms)`,
      first,
      size === "25 MiB" ? { atMost: 3, of: ["ours at 50 KiB", small.ours.first] } : undefined,
    ),
    row(`Get Message, ${size}, throughput (MiB of email/s)`, throughput, { atLeast: 5, of: "peer" }),
    size === "25 MiB"
      ? rowWithin(`Get Message, ${size}, peak memory above that of 50 KiB (MiB)`, memory, 96)
      : row(`Get Message, ${size}, peak memory above that of 50 KiB (MiB)`, memory),
  ];
};

export const measureLarge = async (workload: Workload): Promise<Row[]> => {
  const small = await measureSize(workload, "50 KiB");
  const rows = [
    row("Get Message, 50 KiB, first byte (ms)", {
      ours: small.ours.first,
      floor: small.floor.first,
      peer: better(small.mailsplit.first, small["postal-mime"].first, false),
    }),
  ];
  for (const size of ["1 MiB", "5 MiB", "25 MiB"] as const) {
    rows.push(...rowsOf(size, await measureSize(workload, size), small));
  }
  return rows;
};

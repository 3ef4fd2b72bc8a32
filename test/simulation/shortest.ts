/**
 * Leaves out what a failure does not need: steps, then kinds of faults. Each process has random numbers of its own, so
 * leaving one out changes little for the others. (fast-check's scheduler would shrink the order of the calls, too, but a
 * schedule of thousands of calls takes it longer than a reader needs for ten steps.)
 */
import type { Plan } from "./month.ts";

type Failing = { plan: Plan; failure: Error };

/** Tries to leave out half of the list, a quarter, and so on down to single entries. */
const without = <T>(list: T[]): T[][] => {
  const tries: T[][] = [];
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list.length; from += size) tries.push(list.toSpliced(from, size));
  }
  return tries;
};

/** @param fails lives through a plan, and returns its failure */
export const shortest = async (
  plan: Plan,
  failure: Error,
  fails: (plan: Plan) => Promise<Error | undefined>,
): Promise<Failing> => {
  let found: Failing = { plan, failure };
  const smaller = ({ plan }: Failing): Plan[] => [
    ...without(plan.steps).map((steps) => ({ ...plan, steps })),
    ...without(plan.kinds).map((kinds) => ({ ...plan, kinds })),
  ];
  for (let tries = smaller(found); tries.length > 0; ) {
    const [next] = tries.splice(0, 1);
    const nextFailure = next && (await fails(next));
    if (!next || !nextFailure) continue;
    found = { plan: next, failure: nextFailure };
    tries = smaller(found);
  }
  return found;
};

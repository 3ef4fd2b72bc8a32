/** Does the same to many things at a time, within a bound on memory. */

const mostAtOnce = 32;
/** Storing an email takes several times its size: one of 40 MiB is stored with little beside it. */
const mostBytesAtOnce = 48 * 1024 * 1024;

/**
 * Acts on the items as they come: on at most 32 at a time, of at most 48 MiB together (or on one, if it alone is
 * larger).
 *
 * @throws what the first `act` that fails throws, when those that run have ended
 */
export const inParallel = async <T>(
  items: AsyncIterable<T> | Iterable<T>,
  bytesOf: (item: T) => number,
  act: (item: T) => Promise<void>,
): Promise<void> => {
  const underWay = new Set<Promise<void>>();
  let bytesUnderWay = 0;
  const failures: unknown[] = [];
  for await (const item of items) {
    const bytes = bytesOf(item);
    const isFull = () => underWay.size === mostAtOnce || bytesUnderWay + bytes > mostBytesAtOnce;
    while (underWay.size > 0 && isFull()) await Promise.race(underWay);
    if (failures.length > 0) break;
    bytesUnderWay += bytes;
    const done = act(item)
      .catch((error) => failures.push(error))
      .then(() => {
        underWay.delete(done);
        bytesUnderWay -= bytes;
      });
    underWay.add(done);
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
};

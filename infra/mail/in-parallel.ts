/** Runs as many tasks at a time as memory allows. */

const maximumTasks = 32;
/** Storing an email needs several copies of it in memory, so two emails of 40 MiB at once would be too much. */
const maximumBytes = 48 * 1024 * 1024;

/**
 * Processes up to 32 items at a time, with at most 48 MiB in total. A larger item is processed alone.
 *
 * @throws the first error of `act`, but only after the other calls of `act` have ended
 */
export const inParallel = async <T>(
  items: AsyncIterable<T> | Iterable<T>,
  bytesOf: (item: T) => number,
  act: (item: T) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  let runningBytes = 0;
  const failures: unknown[] = [];
  for await (const item of items) {
    const bytes = bytesOf(item);
    const isFull = () => running.size === maximumTasks || runningBytes + bytes > maximumBytes;
    while (running.size > 0 && isFull()) await Promise.race(running);
    if (failures.length > 0) break;
    runningBytes += bytes;
    const done = act(item)
      .catch((error) => failures.push(error))
      .then(() => {
        running.delete(done);
        runningBytes -= bytes;
      });
    running.add(done);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
};

/** Runs many tasks at a time, within a limit on memory. */

const maximumTasks = 32;
/** Storing an email needs memory for several copies of the email. Two emails of 40 MiB would need too much memory. */
const maximumBytes = 48 * 1024 * 1024;

/**
 * Calls `act` for each item. At most 32 calls of `act` run at a time. The items of all running calls have at most
 * 48 MiB in total. The call for an item over 48 MiB runs alone.
 *
 * @throws the first error of `act`, after all running calls have ended
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

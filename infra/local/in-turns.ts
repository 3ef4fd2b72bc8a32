/** Lets so many calls run at once; the others wait for their turn, first come, first served. */
export const inTurns = (atOnce: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(act: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};

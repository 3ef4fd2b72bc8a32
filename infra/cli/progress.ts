/** Shows the progress of a long command as the last line of a terminal. */

export type Terminal = { write: (text: string) => void; columns: number };

const barWidth = 30;
const millisecondsBetweenDraws = 100;

const erase = "\r\u001b[2K";

/** Shows a line on the terminal until the work is done. */
export const showDuring = async <T>(
  terminal: Terminal | undefined,
  line: string,
  work: () => Promise<T>,
): Promise<T> => {
  terminal?.write(erase + line.slice(0, terminal.columns - 1));
  return work().finally(() => terminal?.write(erase));
};

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/**
 * Draws a progress line such as `█████░░░░░  50%  1,200 emails  300/s  0:04 left`, if there is a terminal.
 *
 * @param totalBytes the size of all items; 0 if the size is unknown
 */
export const showProgress = (terminal: Terminal | undefined, noun: string, totalBytes: number) => {
  const startedAt = performance.now();
  let count = 0;
  let bytes = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;

  const text = (): string => {
    const seconds = (performance.now() - startedAt) / 1000;
    const rate = `${count.toLocaleString("en")} ${noun}  ${Math.round(count / seconds)}/s`;
    if (totalBytes === 0) return rate;
    const share = Math.min(1, bytes / totalBytes);
    const filled = Math.floor(share * barWidth);
    const left = share > 0 ? `  ${minutes(Math.ceil((seconds / share) * (1 - share)))} left` : "";
    const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
    return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${rate}${left}`;
  };
  const draw = (): void => {
    drawnAt = performance.now();
    terminal?.write(erase + text().slice(0, terminal.columns - 1));
  };
  return {
    /** Counts one item. The output of `print` appears above the progress line. */
    add: (added: number, print?: () => void): void => {
      count++;
      bytes += added;
      if (print) {
        terminal?.write(erase);
        print();
      }
      if (print || performance.now() - drawnAt >= millisecondsBetweenDraws) draw();
    },
    end: (): void => terminal?.write(erase),
  };
};

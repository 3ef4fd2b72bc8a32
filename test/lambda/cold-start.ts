/** A cold start and its parts, each the median of several. Printed, and held to nothing: they are this machine's. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lambdaFlags, startFunction } from "./runtime.ts";

const rounds = 7;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Node.js alone, from its start to its end. */
const startNode = (): number => {
  const startedAt = performance.now();
  spawnSync(process.execPath, [...lambdaFlags, "--eval", "0"]);
  return performance.now() - startedAt;
};

/** A folder with a function that is nothing. */
const emptyFunction = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-empty-"));
  writeFileSync(join(folder, "index.mjs"), "export const handler = async () => ({ statusCode: 200 });");
  return folder;
};

type Subject = { folder: string; environment: Record<string, string>; event: () => unknown };

/** In words. */
export const measureColdStart = async (
  client: string,
  { folder, environment, event }: Subject,
): Promise<string> => {
  const empty = emptyFunction();
  const node: number[] = [];
  const withClient: number[] = [];
  const withBundle: number[] = [];
  const response: number[] = [];
  for (let round = 0; round < rounds; round++) {
    node.push(startNode());
    const nothing = await startFunction(client, { folder: empty });
    withClient.push(nothing.initMilliseconds);
    await nothing.stop();
    const running = await startFunction(client, { folder, environment });
    withBundle.push(running.initMilliseconds);
    const startedAt = performance.now();
    const { body } = await running.invoke(event());
    if (typeof body !== "string") await once(body.resume(), "end");
    response.push(performance.now() - startedAt);
    await running.stop();
  }
  rmSync(empty, { recursive: true });
  const [n, c, b, r] = [node, withClient, withBundle, response].map(median) as [
    number,
    number,
    number,
    number,
  ];
  const part = (name: string, milliseconds: number) => `${name} ${Math.round(milliseconds)}`;
  const parts = [
    part("Node.js", n),
    part("runtime client", c - n),
    part("bundle", b - c),
    part("response", r),
  ];
  return `${Math.round(b + r)} ms: ${parts.join(", ")}`;
};

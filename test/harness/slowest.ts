/** Prints the slowest tests at the end of a run. */
import type { Reporter, TestModule } from "vitest/node";

const shown = 10;

export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const slowest = tests
      .map((test) => ({ test, milliseconds: test.diagnostic()?.duration ?? 0 }))
      .sort((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, shown);
    console.log("\nThe slowest:");
    for (const { test, milliseconds } of slowest) {
      const seconds = (milliseconds / 1000).toFixed(1).padStart(6);
      console.log(`${seconds} s  ${test.module.relativeModuleId}  ${test.fullName}`);
    }
  }
}

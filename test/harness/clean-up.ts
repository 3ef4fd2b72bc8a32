/** Clean-up after a test or after a test file. */
import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Runs `end` after the current test. At the top of a file, runs `end` after the last test of the file. */
export const cleanUp = (end: () => void | Promise<void>): void => {
  if (TestRunner.getCurrentTest()) onTestFinished(end);
  else afterAll(end);
};

/**
 * How V8 collects in a function. A process serves one request at a time, so that no other one waits for a pause.
 * Otherwise V8 marks the heap beside the work, ten times while an email of 25 MiB goes by, and two fifths of the
 * processor's time go there.
 *
 * Set when all is loaded: once a flag differs from those that Node.js was built with, it compiles each of its own
 * modules instead of reading it from its binary.
 */
import { setFlagsFromString } from "node:v8";

setImmediate(() => setFlagsFromString("--no-incremental-marking"));

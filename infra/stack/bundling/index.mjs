/** The module that Lambda loads. Its top-level await keeps Lambda's init phase open until the warm-up is over. */
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";

const { handler, warmUp } = createRequire(import.meta.url)("./function.cjs");
await warmUp?.();

// Incremental marking goes over the heap again and again during one large response; without it, a response of 5 MiB takes
// about half the processor time. The longer pauses delay nobody else, because a process serves one request at a time.
setFlagsFromString("--no-incremental-marking");

export { handler };

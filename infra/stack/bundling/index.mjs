/** The module that Lambda loads. Its top-level await keeps Lambda's init phase open until the warm-up is over. */
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";

// V8 optimises a function with the types of earlier calls, which it records only after several of them. The warm-up makes
// few calls, so meanwhile it records from the first one on.
setFlagsFromString("--no-lazy-feedback-allocation");
const { handler, warmUp } = createRequire(import.meta.url)("./function.cjs");
await warmUp?.();
setFlagsFromString("--lazy-feedback-allocation");

// Incremental marking goes over the heap again and again during one large response; without it, a response of 5 MiB takes
// about half the processor time. The longer pauses delay nobody else, because a process serves one request at a time.
setFlagsFromString("--no-incremental-marking");

export { handler };

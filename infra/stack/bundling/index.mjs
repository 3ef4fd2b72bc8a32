/** The module that Lambda loads. Lambda's init phase ends when this module has loaded. */
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";

// V8 optimises a function with the types that it recorded in earlier calls. By default, V8 records types only after
// several calls. During the warm-up, V8 records types from the first call on.
setFlagsFromString("--no-lazy-feedback-allocation");
const { handler, warmUp } = createRequire(import.meta.url)("./function.cjs");
await warmUp?.();
setFlagsFromString("--lazy-feedback-allocation");

// With incremental marking, V8 marks the heap again and again during one large response. Longer pauses without
// incremental marking delay no other request, because a process serves one request at a time. For a response of
// 5 MiB, the flag saves about half of the processor time.
setFlagsFromString("--no-incremental-marking");

export { handler };

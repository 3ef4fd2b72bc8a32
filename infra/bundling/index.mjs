/** The module that Lambda loads. Lambda's init phase ends when this module has loaded. */
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";

const { handler, warmUp } = createRequire(import.meta.url)("./function.cjs");
await warmUp?.();

// With incremental marking, V8 marks the heap again and again during one large response. Longer pauses without
// incremental marking delay no other request, because a process serves one request at a time. For a response of
// 5 MiB, the flag saves about half of the processor time. After a change of flags, Node.js compiles its own modules
// instead of reading them from its snapshot, so the flag is set last.
setFlagsFromString("--no-incremental-marking");

export { handler };

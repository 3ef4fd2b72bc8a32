/**
 * How V8 collects in a function. A process serves one request at a time, so that no other one waits for a pause.
 * Otherwise V8 marks the heap beside the work, beginning anew whenever the strings of a large message have come
 * to some 7 MB, and a third of the processor's time goes there.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--no-incremental-marking");

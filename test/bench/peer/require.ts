/** `require` for a dependency that is CommonJS and asks for Node's own modules: a bundled ES module has none. */
import { createRequire } from "node:module";

Object.assign(globalThis, { require: createRequire(import.meta.url) });

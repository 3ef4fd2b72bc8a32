/** Invokes a handler on the local Lambda in another process, and prints the outcome. */
import { invoke, type LambdaHandler } from "../../infra/local/lambda.ts";
import { observe } from "./behaviours.ts";

const [bundle = "", name = "", leaves] = process.argv.slice(2);
const { [name]: handler }: Record<string, LambdaHandler<unknown>> = await import(bundle);
if (!handler) throw new Error(`${bundle} exports no ${name}`);
const survived = await observe((event) => invoke(handler, event), leaves === "leaves");
console.log(JSON.stringify(survived));

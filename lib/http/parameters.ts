/** A path or query parameter has a schema, a description and an example. */
import * as z from "zod/mini";

export type Parameter<Value> = {
  readonly schema: z.ZodMiniType<Value>;
  /** Markdown for the API reference. */
  readonly description: string;
  readonly example: string;
  /** Whether the parameter's value goes into the request log; never set this for confidential values. */
  readonly isLogged?: boolean;
};

export type ParametersFor<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

export const schemaOf = <Values>(parameters: ParametersFor<Values>): z.ZodMiniType<Values> => {
  const named: [string, Parameter<unknown>][] = Object.entries(parameters);
  const shape = Object.fromEntries(named.map(([name, { schema }]) => [name, schema]));
  const object: z.ZodMiniType = z.object(shape);
  return object as z.ZodMiniType<Values>;
};

export const optional = <Value>(parameter: Parameter<Value>): Parameter<Value | undefined> => ({
  ...parameter,
  schema: z.optional(parameter.schema),
});

/** Accepts decimal digits only: `Number` alone would also accept "", " 1", "1e1" and "0x10". */
export const integerParameter = (
  name: string,
  [minimum, maximum]: readonly [minimum: number, maximum: number],
  description: string,
  example: string,
): Parameter<number> => {
  const rule = `${name} must be an integer from ${minimum} to ${maximum}`;
  const digits = z.string(rule).check(z.regex(/^\d{1,15}$/, rule));
  const number = z.int(rule).check(z.minimum(minimum, rule), z.maximum(maximum, rule));
  return { schema: z.pipe(z.pipe(digits, z.transform(Number)), number), description, example };
};

/** Callers may write a UUID in any case; `handle` gets it in lower case. */
export const uuidParameter = (name: string, description: string, example: string): Parameter<string> => ({
  schema: z.guid(`${name} must be a UUID`).check(z.toLowerCase()),
  description,
  example,
});

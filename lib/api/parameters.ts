/** Parameters of a path or a query. */
import * as z from "zod/mini";

export type Parameter<Value> = {
  /** Reads the text from the URL. An optional query parameter accepts `undefined`. */
  readonly schema: z.ZodMiniType<Value>;
  /** Markdown for the reference. */
  readonly description: string;
  /** The text as a caller writes it in a URL. */
  readonly example: string;
  /** Whether the request log contains the value of this query parameter. Set it only if no value is confidential. */
  readonly isLogged?: boolean;
};

/** One parameter for each field of `Values`. */
export type ParametersFor<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

/** Returns the schema of an object with one field for each parameter. */
export const schemaOf = <Values>(parameters: ParametersFor<Values>): z.ZodMiniType<Values> => {
  const named: [string, Parameter<unknown>][] = Object.entries(parameters);
  const shape = Object.fromEntries(named.map(([name, { schema }]) => [name, schema]));
  const object: z.ZodMiniType = z.object(shape);
  return object as z.ZodMiniType<Values>;
};

export const uuidRule = (name: string): string => `${name} must be a UUID`;

/** Returns a parameter that accepts a UUID in any case, and reads it in lower case. */
export const uuidParameter = (name: string, description: string, example: string): Parameter<string> => ({
  schema: z.guid(uuidRule(name)).check(z.toLowerCase()),
  description,
  example,
});

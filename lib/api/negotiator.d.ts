/** Types for the parts of negotiator 1.x that we use. The package `@types/negotiator` covers only version 0.6. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    encoding<Coding extends string>(
      available: Coding[],
      options?: { preferred?: string[] },
    ): Coding | undefined;
  }
}

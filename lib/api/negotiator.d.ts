/** Types for the package `negotiator`: `@types/negotiator` describes version 0.6, which lacks `preferred`. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    encoding<Coding extends string>(available: Coding[], options?: { preferred?: string[] }): Coding | undefined;
  }
}

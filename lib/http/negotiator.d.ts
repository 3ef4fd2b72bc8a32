/** `@types/negotiator`, for version 0.6, has no option `preferred`, so we declare the types ourselves. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    encoding<Coding extends string>(available: Coding[], options?: { preferred?: string[] }): Coding | undefined;
  }
}

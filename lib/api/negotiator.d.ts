/** Types of negotiator 1.x, as far as we use it. Its published types end at 0.6. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    encoding<Coding extends string>(
      available: Coding[],
      options?: { preferred?: string[] },
    ): Coding | undefined;
  }
}

/** The part of negotiator 1.x that is used here: its published types stop at 0.6. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    encoding<Coding extends string>(
      available: Coding[],
      options?: { preferred?: string[] },
    ): Coding | undefined;
  }
}

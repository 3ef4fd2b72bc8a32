/** The original of a module that `environment.ts` replaces. `infra/bundling.ts` defines this alias. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

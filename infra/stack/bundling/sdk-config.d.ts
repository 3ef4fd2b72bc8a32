/** The original `@smithy/core/config`, which `environment.ts` replaces. `infra/stack/bundling.ts` sets the alias. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

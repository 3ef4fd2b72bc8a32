/**
 * `environment.ts` replaces the module `@smithy/core/config` in our bundles, and imports the original as `sdk-config`.
 */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

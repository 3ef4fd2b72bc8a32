/** Our bundles replace `@smithy/core/config`, and `sdk-config` is the original. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

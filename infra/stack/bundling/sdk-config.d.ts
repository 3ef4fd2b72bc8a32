/** In our bundles, `@smithy/core/config` is replaced, and `sdk-config` is the name of the original. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

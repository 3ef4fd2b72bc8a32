/** Our bundles replace the module `@smithy/core/config`, but can import the original as `sdk-config`. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

/** `infra/stack/bundling.ts` makes `sdk-config` an alias of the original `@smithy/core/config`. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

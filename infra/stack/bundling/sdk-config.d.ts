/** The original of `@smithy/core/config`, which `environment.ts` replaces. The alias is in `infra/stack/bundling.ts`. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

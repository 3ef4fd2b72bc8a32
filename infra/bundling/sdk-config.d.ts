/** The name by which `environment.ts` reaches what it stands in for: see the aliases in `infra/bundling.ts`. */
declare module "sdk-config" {
  export * from "@smithy/core/config";
}

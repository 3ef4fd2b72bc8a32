/**
 * Replaces the AWS SDK's code that finds credentials and settings. Lambda sets environment variables for credentials
 * and settings, so the bundle needs no code that reads files or metadata services.
 */
import type { EnvOptions, LoadedConfigSelectors } from "@smithy/core/config";

export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
export * from "sdk-config";

export const loadConfig =
  <T>({ environmentVariableSelector, default: fallback }: LoadedConfigSelectors<T>, options?: EnvOptions) =>
  async (): Promise<T> =>
    environmentVariableSelector(process.env, options) ??
    (fallback instanceof Function ? fallback() : fallback);

/** Selects the AWS SDK's defaults mode `legacy`. In the mode `legacy`, the AWS SDK changes no default value. */
export const resolveDefaultsModeConfig = () => async () => "legacy";

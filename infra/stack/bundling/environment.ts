/**
 * Reads the AWS SDK's credentials and settings from environment variables, which Lambda sets. The AWS SDK's own code
 * would also look for credentials and settings in files and metadata services.
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

/**
 * Reads the AWS SDK's credentials and settings only from the environment variables that Lambda sets, and not from files
 * or the network.
 */
import type { EnvOptions, LoadedConfigSelectors } from "@smithy/core/config";

export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
export * from "sdk-config";

export const loadConfig =
  <T>({ environmentVariableSelector, default: fallback }: LoadedConfigSelectors<T>, options?: EnvOptions) =>
  async (): Promise<T> =>
    environmentVariableSelector(process.env, options) ?? (fallback instanceof Function ? fallback() : fallback);

/** With the defaults mode `legacy`, the AWS SDK changes none of our settings. */
export const resolveDefaultsModeConfig = () => async () => "legacy";

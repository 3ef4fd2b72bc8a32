/**
 * In place of two parts of the AWS SDK, while a function is bundled: its credentials and settings are in its
 * environment, where Lambda puts them. No file, no other process and no metadata service is asked for them.
 */
import type { EnvOptions, LoadedConfigSelectors } from "@smithy/core/config";

export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
export * from "sdk-config";

export const loadConfig =
  <T>({ environmentVariableSelector, default: fallback }: LoadedConfigSelectors<T>, options?: EnvOptions) =>
  async (): Promise<T> =>
    environmentVariableSelector(process.env, options) ??
    (fallback instanceof Function ? fallback() : fallback);

/** The SDK's own default, which leaves every setting as it is. */
export const resolveDefaultsModeConfig = () => async () => "legacy";

/**
 * Reads the AWS SDK's credentials and settings from the environment variables that Lambda sets. On its own, the SDK
 * would also look for credentials in files and at metadata services.
 */
import type { EnvOptions, LoadedConfigSelectors } from "@smithy/core/config";

export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
export * from "sdk-config";

export const loadConfig =
  <T>({ environmentVariableSelector, default: fallback }: LoadedConfigSelectors<T>, options?: EnvOptions) =>
  async (): Promise<T> =>
    environmentVariableSelector(process.env, options) ?? (fallback instanceof Function ? fallback() : fallback);

/** The defaults mode `legacy` leaves the AWS SDK's settings unchanged. */
export const resolveDefaultsModeConfig = () => async () => "legacy";

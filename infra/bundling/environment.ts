/**
 * Replaces the AWS SDK's look-up of credentials and settings in a bundle. Lambda puts both into environment variables, so
 * the code that reads files, processes and metadata services is left out.
 */
import type { EnvOptions, LoadedConfigSelectors } from "@smithy/core/config";

export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
export * from "sdk-config";

export const loadConfig =
  <T>({ environmentVariableSelector, default: fallback }: LoadedConfigSelectors<T>, options?: EnvOptions) =>
  async (): Promise<T> =>
    environmentVariableSelector(process.env, options) ??
    (fallback instanceof Function ? fallback() : fallback);

/** Returns the SDK's default mode, which changes no setting. */
export const resolveDefaultsModeConfig = () => async () => "legacy";

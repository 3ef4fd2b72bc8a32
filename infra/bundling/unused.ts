/** In place of what the AWS SDK can do and no function of ours needs, while a function is bundled. */

// DynamoDB has one endpoint in a region; the SDK can ask it for others.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;

// S3 streams events where it queries objects; the function reads them.
export const eventStreamSerdeProvider = undefined;
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

/** Replaces two parts of the AWS SDK that we never use by empty ones. */

// DynamoDB has one fixed endpoint per region, so there are no endpoints to discover.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;

// Only S3's SelectObjectContent has event streams, and we never call it.
export const eventStreamSerdeProvider = undefined;
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

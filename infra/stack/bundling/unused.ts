/** Stands in for two parts of the AWS SDK that we never use. */

// Endpoint discovery: DynamoDB has one endpoint per region.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;

// Event streams: only S3's SelectObjectContent has them.
export const eventStreamSerdeProvider = undefined;
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

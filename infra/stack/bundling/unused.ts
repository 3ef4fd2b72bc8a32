/** Replaces the AWS SDK's code for endpoint discovery and event streams, because this service uses neither feature. */

// Endpoint discovery is not needed, because DynamoDB has one endpoint per region.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;

// Event streams are not needed, because only S3's SelectObjectContent uses event streams.
export const eventStreamSerdeProvider = undefined;
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

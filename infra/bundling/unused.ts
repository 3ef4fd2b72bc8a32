/** Replaces features of the AWS SDK that no function uses. */

// Endpoint discovery. DynamoDB has one endpoint per region.
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;

// Event streams. S3 needs them only for Select, and functions use GetObject.
export const eventStreamSerdeProvider = undefined;
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

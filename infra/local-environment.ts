/** The environment of a program that uses the table of `npm start`. */

/** Returns the SDK's variables. The SDK requires credentials, and local engines accept any. */
export const localEnvironment = (port: number) => ({
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  TABLE_NAME: "email-api",
});

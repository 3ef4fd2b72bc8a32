/** The environment variables of a program that uses the local table of `npm start`. */

/** Returns TABLE_NAME, and the variables that the AWS SDK needs. A local DynamoDB accepts any credentials. */
export const localEnvironment = (port: number) => ({
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  TABLE_NAME: "email-api",
});

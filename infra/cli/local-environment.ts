/** Environment variables that point a program to a local DynamoDB, such as that of `npm start`. */

/** The AWS SDK requires credentials, but a local DynamoDB accepts any. */
export const localEnvironment = (port: number) => ({
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  TABLE_NAME: "email-api",
});

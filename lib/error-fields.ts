/** Returns the fields of an error that are safe to log. The log must not show the stored items of a DynamoDB error. */
export const errorFields = ({ name, message, stack }: Error) => ({ name, message, stack });

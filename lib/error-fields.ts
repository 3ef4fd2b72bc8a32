/** Returns the fields of an error for the log. An error of DynamoDB also holds items, and these stay out of the log. */
export const errorFields = ({ name, message, stack }: Error) => ({ name, message, stack });

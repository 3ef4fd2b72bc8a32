/** Returns an error's fields for the log. Other fields of DynamoDB errors can contain items, which are not logged. */
export const errorFields = ({ name, message, stack }: Error) => ({ name, message, stack });

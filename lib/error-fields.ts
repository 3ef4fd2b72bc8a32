/** Returns the fields of an error that may be logged. Other fields of DynamoDB errors may contain stored items. */
export const errorFields = ({ name, message, stack }: Error) => ({ name, message, stack });

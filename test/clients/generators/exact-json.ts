/** Returns `reference_message_id` with all its digits. JSON.parse alone rounds integers above 2^53. */
export const referenceMessageId = (json: string): string | undefined => {
  let digits: string | undefined;
  JSON.parse(json, (name, value, { source }: { source?: string } = {}) => {
    if (name === "reference_message_id") digits = source;
    return value;
  });
  return digits;
};

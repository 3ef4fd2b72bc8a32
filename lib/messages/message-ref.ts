/** Names a message: its id is unique only within its account. */
export type MessageRef = { account_id: string; id: string };

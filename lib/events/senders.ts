/** A sender reports in its own format. The operator says whose it is, because an email's tags are set by whoever sends it. */
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { normalDomain } from "../addresses/domain.ts";
import { RejectedError } from "../messages/rejected-error.ts";
import { getItem } from "../table/get.ts";
import { senderKey } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import { succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { transact } from "../table/transact.ts";
import { putIfAbsent } from "../table/writes.ts";

export type Sender = { name: string; account_id: string; domain_id: string; retain_days: number };

export const senderForms = "ses:AWS_ACCOUNT:CONFIGURATION_SET or ses-received:DOMAIN";

/** Returns `null` if the text is no sender's name. */
export const senderName = (text: string): string | null => {
  if (/^ses:\d{12}:[\w-]{1,64}$/.test(text)) return text;
  const [, domain = ""] = /^ses-received:(.+)$/.exec(text) ?? [];
  const normal = normalDomain(domain);
  return normal && `ses-received:${normal}`;
};

/** @throws RejectedError if the operator hasn't added the sender */
export const findSender = async (table: Table, text: string): Promise<Sender> => {
  const name = senderName(text);
  if (name === null) throw new RejectedError(`its sender is not ${senderForms}`);
  const sender = await getItem<Sender>(table, senderKey(name), { consistent: true });
  if (sender) return sender;
  throw new RejectedError(`its sender is unknown. Add it with the command add-sender ${name}`);
};

/** Returns false if the sender is there already. */
export const addSender = async (table: Table, sender: Sender, now: number): Promise<boolean> =>
  !(await transact(table, [putIfAbsent(table, senderKey(sender.name), sender, now)]));

export const listSenders = async (table: Table): Promise<Sender[]> => {
  const items = await listItems<Sender>(table, senderKey(""));
  return items.map(({ pk, sk, ...sender }) => sender);
};

/** Returns false if there was no such sender. */
export const removeSender = (table: Table, name: string): Promise<boolean> => {
  const ConditionExpression = "attribute_exists(pk)";
  return succeeds(() =>
    table.client.send(new DeleteCommand({ TableName: table.name, Key: senderKey(name), ConditionExpression })),
  );
};

/** `add-sender`, `list-senders` and `remove-sender`. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import * as store from "../../lib/events/senders.ts";
import { UserError } from "../cli/user-error.ts";
import { days, defineCommand, forEachOperand, openTableOf, report, reportRows, type Shell, uuid } from "./command.ts";

const nameOf = (text: string): string => {
  const name = store.senderName(text);
  if (name !== null) return name;
  throw new InvalidArgumentError(`It takes ${store.senderForms}.`);
};

const examples = `
Examples:
  add-sender ses:111122223333:marketing --account UUID --domain UUID --retain-days 90
  add-sender ses-received:example.com --account UUID --domain UUID

Messages and events of a sender that nobody added become dead letters. Redrive them after you have added the sender.`;

export const addSender = (shell: Shell) =>
  defineCommand("add-sender", "say to which account the messages of an SES configuration set or domain belong")
    .argument("<name>", store.senderForms, nameOf)
    .requiredOption("--account <uuid>", "the account of the messages", uuid)
    .requiredOption("--domain <uuid>", "the domain of the messages: any UUID that you choose", uuid)
    .option("--retain-days <number>", "how long the messages are kept", days, 30)
    .addHelpText("after", examples)
    .action(async (name, { account, domain, retainDays, local, json }) => {
      const sender = { name, account_id: account, domain_id: domain, retain_days: retainDays };
      if (!(await store.addSender(openTableOf({ local }), sender, Date.now()))) {
        throw new UserError(`${name}: the sender is there already. To change it, remove it first`);
      }
      report(shell, json, sender, `added     ${name}`);
    });

export const listSenders = (shell: Shell) =>
  defineCommand("list-senders", "list the senders and their accounts").action(async ({ local, json }) => {
    reportRows(shell, json, await store.listSenders(openTableOf({ local })));
  });

export const removeSender = (shell: Shell) =>
  defineCommand("remove-sender", "record no further messages and events of a sender")
    .argument("<name...>", "a sender's name; - reads names from standard input")
    .action((names, { local, json }) => {
      const table = openTableOf({ local });
      return forEachOperand(shell, names, async (name) => {
        const normal = store.senderName(name);
        if (normal === null) throw new UserError(`${name}: no sender's name. It takes ${store.senderForms}`, 2);
        const removed = await store.removeSender(table, normal);
        if (!removed) throw new UserError(`${name}: no such sender`);
        report(shell, json, { name, removed }, `removed   ${name}`);
      });
    });

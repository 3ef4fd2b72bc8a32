/** Members, and what is stored about a person. */

import { longestIndexLag } from "../../world/engine.ts";
import type { Random } from "../../world/random.ts";
import { trueTime } from "../../world/time.ts";
import { type Cast, roles } from "../cast.ts";
import { demand } from "../model.ts";
import { command, keyOf, messageOf, operation } from "./operation.ts";

const planMember = (random: Random, { accounts, emails }: Cast) => ({
  account: random.oneOf(accounts),
  email: random.oneOf(emails),
});

export const peopleOperations = {
  "add-member": operation({
    plan: (random, cast) => ({
      ...planMember(random, cast),
      role: random.oneOf(roles),
      idempotencyKey: random.chance(0.8) ? random.oneOf(["once", "twice"]) : null,
      key: random.oneOf(["root", ...cast.keys]),
    }),
    run: async (stage, { account, email, role, idempotencyKey, key: wanted }) => {
      const { world, process } = stage;
      const { key, secret } = keyOf(stage, account, wanted);
      const [from, now] = [trueTime(), Date.now()];
      const use = world.model.beginUse({ account, key: idempotencyKey, email, role }, from, now);
      const response = await world.request(process, "addAccountMember", {
        headers: {
          Authorization: `Bearer ${secret}`,
          "Content-Type": "application/json",
          ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
        },
        pathParameters: { account_id: account },
        body: JSON.stringify({ email, role }),
      });
      use.to = trueTime();
      if (response?.status === 401) use.from = Number.POSITIVE_INFINITY; // It never ran.
      if (response && response.status < 500) world.model.sawKey(key, response.status, { from, to: use.to }, now);
      if (response?.status === 401) {
        world.model.endAll(use.adding, use.to, "nothing");
        return;
      }
      demand(!response || [201, 409, 422, 503].includes(response.status), "status", { response });
      const isReplay = response?.headers["Idempotent-Replayed"] === "true";
      world.model.sawMember(Object.assign(use, response && { response: { ...response, isReplay } }));
    },
  }),

  "list-members": operation({
    plan: (random, { accounts }) => ({ account: random.oneOf(accounts) }),
    run: async ({ world, cast }, { account }) => {
      const from = trueTime();
      const { status, lines } = await world.admin(["list-members", "--account", account]);
      for (const email of status === 0 ? cast.emails : []) {
        const isListed = lines.some((line) => line.email === email);
        const isPossible = world.model.couldBe(`${email} in ${account}`, isListed, { from, to: trueTime() });
        demand(isPossible, "listed members", { account, email, lines });
      }
    },
  }),

  "set-member-role": operation({
    plan: (random, cast) => ({ ...planMember(random, cast), role: random.oneOf(roles) }),
    run: async (stage, { account, email, role }) => {
      const change = stage.world.model.beginRole(`${email} in ${account}`, role, trueTime());
      const args = ["set-member-role", email, "--account", account, "--role", role];
      await command(stage, args, change, ({ status }) => status === 0);
    },
  }),

  "remove-member": operation({
    plan: planMember,
    run: async (stage, { account, email }) => {
      const removal = stage.world.model.begin(`${email} in ${account}`, false, trueTime());
      const args = ["remove-member", email, "--account", account];
      await command(stage, args, [removal], ({ lines: [line] }) => line?.removed === true);
    },
  }),

  "find-messages": operation({
    plan: (random, { emails }) => ({ email: random.oneOf(emails) }),
    run: async (stage, { email }) => {
      const { world, cast } = stage;
      const from = trueTime();
      const { status, lines } = await world.admin(["find-messages", email]);
      for (const { name, people } of status === 0 ? cast.messages : []) {
        const isListed = lines.some(({ id }) => id === messageOf(stage, name).id);
        world.model.sawSearch(name, people.includes(email), isListed, { from, to: trueTime() });
      }
    },
  }),

  "erase-person": operation({
    plan: (random, { emails }) => ({ email: random.oneOf(emails), scan: random.chance(0.5) }),
    run: async (stage, { email, scan }) => {
      const { world, cast } = stage;
      const from = trueTime();
      // Without --scan, an address is found only where it is in the index.
      const theirs = cast.messages.filter(({ sender, recipient, people }) =>
        (scan ? [sender, recipient, ...people] : people).includes(email),
      );
      // What is stored while the command looks around may stay.
      const present = theirs.map(({ name }) => world.model.isOver(name, from - longestIndexLag));
      const erasures = theirs.map(({ name }) => world.model.begin(`deletion of ${name}`, true, from));
      const members = cast.accounts.map((account) => world.model.begin(`${email} in ${account}`, false, from));
      const broken = world.model.begin(`broken erasure of ${email}`, true, from);
      const { status } = await world.admin(["erase-person", email, "--delete", ...(scan ? ["--scan"] : [])]);
      // Who is added beside an erase-person that does not end may stay without the user, and be added a second time.
      if (status === 0) world.model.end(broken, trueTime(), "nothing");
      else for (const account of cast.accounts) world.model.beginDoubt(`${email} in ${account}`, from);
      // Another one that has deleted the user may still wait for its second pass.
      const isSure = !world.model.mayHaveBegun(`broken erasure of ${email}`, trueTime());
      for (const member of members) world.model.end(member, trueTime(), isSure ? "done" : "maybe");
      for (const [index, erasure] of erasures.entries()) {
        const isExpired = Date.parse(theirs[index]?.retain_until ?? "") < trueTime() + 2000;
        const isDone = status === 0 && present[index] && !isExpired;
        world.model.end(erasure, trueTime(), isDone ? "done" : "maybe");
      }
    },
  }),
};

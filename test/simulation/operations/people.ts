/** Members, and what is stored about a person. */
import { demand } from "../model.ts";
import { trueTime } from "../time.ts";
import { command, keyNames, keyOf, operation } from "./operation.ts";

const roles = ["Developer", "Analyst"];

export const peopleOperations = {
  "add-member": operation({
    plan: (random, { accounts, emails }) => ({
      account: random.oneOf(accounts),
      email: random.oneOf(emails),
      role: random.oneOf(roles),
      idempotencyKey: random.chance(0.8) ? random.oneOf(["once", "twice"]) : null,
      key: random.oneOf(["root", ...keyNames]),
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
        world.model.end(use.adding, use.to, "nothing");
        return;
      }
      demand(!response || [201, 409, 422, 503].includes(response.status), "status", { response });
      const isReplay = response?.headers["Idempotent-Replayed"] === "true";
      world.model.sawMember(Object.assign(use, response && { response: { ...response, isReplay } }));
    },
  }),

  "remove-member": operation({
    plan: (random, { accounts, emails }) => ({
      account: random.oneOf(accounts),
      email: random.oneOf(emails),
    }),
    run: async (stage, { account, email }) => {
      const removal = stage.world.model.begin(`${email} in ${account}`, false, trueTime());
      const args = ["remove-member", email, "--account", account];
      await command(stage, args, [removal], ({ lines: [line] }) => line?.removed === true);
    },
  }),

  "erase-person": operation({
    plan: (random, { emails }) => ({ email: random.oneOf(emails) }),
    run: async (stage, { email }) => {
      const { world, cast } = stage;
      const from = trueTime();
      const theirs = cast.messages.filter(({ addresses }) => addresses.includes(email));
      // What is stored while the command looks around may stay.
      const present = theirs.map(({ name }) => world.model.isOver(name, from - 1000));
      const erasures = theirs.map(({ name }) => world.model.begin(`deletion of ${name}`, true, from));
      const members = cast.accounts.map((account) => world.model.begin(`${email} in ${account}`, false, from));
      const { status } = await world.admin(["erase-person", email, "--delete"]);
      const broken = `broken erasure of ${email}`;
      if (status !== 0) world.model.begin(broken, true, from);
      const isSure = !world.model.mayHaveBegun(broken, trueTime());
      for (const member of members) world.model.end(member, trueTime(), isSure ? "done" : "maybe");
      for (const [index, erasure] of erasures.entries()) {
        const isExpired = Date.parse(theirs[index]?.retain_until ?? "") < trueTime() + 2000;
        const isDone = status === 0 && present[index] && !isExpired;
        world.model.end(erasure, trueTime(), isDone ? "done" : "maybe");
      }
    },
  }),
};

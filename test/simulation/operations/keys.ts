/** The life of an API key. */
import { trueTime } from "../../world/time.ts";
import { command, operation } from "./operation.ts";

export const keyOperations = {
  "create-key": operation({
    plan: (random, { accounts, keys, bursts }) => ({
      account: random.oneOf(accounts),
      name: random.oneOf(keys),
      minutes: random.chance(0.5) ? (random.oneOf(bursts.slice(1)) - (bursts[0] ?? 0)) / 60_000 : undefined,
    }),
    run: async (stage, { account, name, minutes }) => {
      const { world } = stage;
      const now = Math.floor(Date.now() / 1000);
      const args = ["create-api-key", "--scope", "*", "--account", account];
      if (minutes) args.push("--expires-in", `${minutes}m`);
      const from = trueTime();
      const { lines } = await world.admin(args);
      const [line] = lines;
      const key = `${name} of ${account}`;
      if (!line || world.keys.has(key)) return;
      world.keys.set(key, { secret: String(line.api_key), id: String(line.id) });
      world.model.end(world.model.begin(key, true, from), trueTime(), "done");
      if (minutes) world.model.expire(key, now + minutes * 60, { from, to: trueTime() });
    },
  }),

  "revoke-key": operation({
    plan: (random, { accounts, keys }) => ({ account: random.oneOf(accounts), name: random.oneOf(keys) }),
    run: async (stage, { account, name }) => {
      const key = `${name} of ${account}`;
      const { id } = stage.world.keys.get(key) ?? {};
      if (!id) return;
      const revoking = stage.world.model.begin(key, false, trueTime());
      await command(stage, ["revoke-api-key", id], [revoking], ({ lines: [line] }) => line?.revoked === true);
    },
  }),

  "rotate-key": operation({
    plan: (random, { accounts, keys }) => ({
      account: random.oneOf(accounts),
      name: random.oneOf(keys),
      grace: random.oneOf([0, 1, 60]),
    }),
    run: async (stage, { account, name, grace }) => {
      const { world } = stage;
      const { id } = world.keys.get(`${name} of ${account}`) ?? {};
      if (!id) return;
      const end = Math.floor(Date.now() / 1000) + grace * 60;
      const span = { from: trueTime(), to: Number.POSITIVE_INFINITY };
      const expiry = world.model.expire(`${name} of ${account}`, end, span);
      const time = grace === 0 ? "0" : `${grace}m`;
      const { lines } = await world.admin(["rotate-api-key", id, "--grace", time]);
      if (lines[0]) expiry.to = trueTime();
    },
  }),
};

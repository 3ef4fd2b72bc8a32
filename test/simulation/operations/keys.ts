/** The life of an API key. */
import { trueTime } from "../../world/time.ts";
import { command, operation } from "./operation.ts";

const secondsOf = (time: unknown): number => Date.parse(String(time)) / 1000;

export const keyOperations = {
  "create-key": operation({
    plan: (random, { accounts, keys, bursts }) => ({
      account: random.oneOf(accounts),
      name: random.oneOf(keys),
      minutes: random.chance(0.5) ? (random.oneOf(bursts.slice(1)) - (bursts[0] ?? 0)) / 60_000 : undefined,
    }),
    run: async (stage, { account, name, minutes }) => {
      const { world } = stage;
      const args = ["create-api-key", "--scope", "*", "--account", account];
      if (minutes) args.push("--expires-in", `${minutes}m`);
      const from = trueTime();
      const { status, lines } = await world.admin(args);
      const [line] = lines;
      const key = `${name} of ${account}`;
      if (!line || world.keys.has(key)) return;
      world.keys.set(key, { secret: String(line.api_key), id: String(line.id) });
      // The key was printed before it was stored.
      world.model.end(world.model.begin(key, true, from), trueTime(), status === 0 ? "done" : "maybe");
      if (minutes) world.model.expire(key, secondsOf(line.expires_at), { from, to: trueTime() });
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
      const key = `${name} of ${account}`;
      const { id } = world.keys.get(key) ?? {};
      if (!id) return;
      const from = trueTime();
      const never = Number.POSITIVE_INFINITY;
      const revoking = grace === 0 ? world.model.begin(key, false, from) : undefined;
      const expiry = grace === 0 ? undefined : world.model.expire(key, 0, { from, to: never });
      const args = ["rotate-api-key", id, "--grace", grace === 0 ? "0" : `${grace}m`];
      const { status, lines } = await world.admin(args);
      if (revoking) world.model.end(revoking, trueTime(), status === 0 ? "done" : "maybe");
      if (!expiry) return;
      const replaces = lines[0]?.replaces as { expires_at: string } | undefined;
      if (replaces)
        Object.assign(expiry, { at: secondsOf(replaces.expires_at), to: status === 0 ? trueTime() : never });
      else expiry.from = never; // The new key is printed first, so nothing was changed.
    },
  }),
};

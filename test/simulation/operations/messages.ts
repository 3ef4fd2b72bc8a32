/** What happens to stored messages: Get Message, and the commands of the operator. */

import { sleep, trueTime } from "../../world/time.ts";
import { demand } from "../model.ts";
import type { Ran } from "../world.ts";
import { command, keyOf, messageOf, nameOf, operation, type Stage } from "./operation.ts";
import { statusOfModel } from "./ses.ts";

type Get = { name: string; key: string; fields: string | undefined };

const getOnce = async (stage: Stage, { name, key: wanted, fields }: Get): Promise<void> => {
  const { world, process } = stage;
  const { account, id, raw } = messageOf(stage, name);
  const { key, secret } = keyOf(stage, account, wanted);
  const [from, now] = [trueTime(), Date.now()];
  const response = await world.request(process, "getMessage", {
    headers: { Authorization: `Bearer ${secret}` },
    pathParameters: { account_id: account, message_id: id },
    ...(fields && { queryStringParameters: { fields } }),
  });
  const span = { from, to: trueTime() };
  if (!response || (response.status === 503 && world.weather.rate > 0)) return;
  world.model.sawKey(key, response.status, span, now);
  if (response.status === 401) return;
  const body = response.status === 200 ? JSON.parse(response.body) : {};
  if (fields) body.content = undefined;
  else demand([raw, null, undefined].includes(body.content), "another email", { name, from });
  const hasContent = fields === undefined && raw !== null;
  world.model.sawMessage(
    name,
    {
      ...body,
      delivery: statusOfModel[String(body.status)] ?? body.status,
      content: hasContent ? body.content : undefined,
      status: response.status,
    },
    span,
    now,
    hasContent,
  );
};

export const messageOperations = {
  "get-message": operation({
    plan: (random, cast) => ({
      name: nameOf(random, cast),
      key: random.oneOf(["root", ...cast.keys]),
      fields: random.chance(0.3) ? "status,open_count,click_count,num_attempts" : undefined,
      polls: random.chance(0.3) ? 1 + random.below(4) : 0,
    }),
    run: async (stage, { polls, ...get }) => {
      await getOnce(stage, get);
      for (let left = polls; left > 0; left--) {
        await sleep(stage.process.random.below(500));
        await getOnce(stage, get);
      }
    },
  }),

  "import-message": operation({
    plan: (random, cast) => ({ name: nameOf(random, cast, ({ isImported }) => isImported) }),
    run: async (stage, { name }) => {
      const { account, raw, direction, retain_until } = messageOf(stage, name);
      const { world, cast } = stage;
      const args = `import-message --account ${account} --domain ${cast.domain} --direction ${direction} --retain-until ${retain_until} -`;
      const storing = world.model.begin(name, true, trueTime());
      const isStored = ({ lines: [line] }: Ran) => line?.is_deleted === false;
      await command(stage, args.split(" "), [storing], isStored, raw ?? "");
    },
  }),

  "delete-message": operation({
    plan: (random, cast) => ({ name: nameOf(random, cast), force: random.chance(0.2) }),
    run: async (stage, { name, force }) => {
      const { account, id } = messageOf(stage, name);
      const deletion = stage.world.model.begin(`deletion of ${name}`, true, trueTime());
      const args = ["delete-message", id, "--account", account, ...(force ? ["--force"] : [])];
      await command(stage, args, [deletion], ({ lines: [line] }) => line?.is_blocked === true);
    },
  }),

  "remove-content": operation({
    plan: (random, cast) => ({ name: nameOf(random, cast) }),
    run: async (stage, { name }) => {
      const { account, id } = messageOf(stage, name);
      const change = stage.world.model.begin(`change of ${name}`, true, trueTime());
      const removal = stage.world.model.begin(`removal of ${name}`, true, trueTime());
      const args = ["remove-content", id, "--account", account];
      await command(stage, args, [change, removal], ({ lines: [line] }) => line?.content_removed === true);
    },
  }),

  "restore-content": operation({
    plan: (random, cast) => ({ name: nameOf(random, cast) }),
    run: async (stage, { name }) => {
      const { account, id, raw } = messageOf(stage, name);
      const change = stage.world.model.begin(`change of ${name}`, true, trueTime());
      const args = ["restore-content", id, "-", "--account", account];
      await command(stage, args, [change], ({ status }) => status === 0, raw ?? "");
    },
  }),
};

/** What an operator may set: `npm run deploy -- --context stage=dev`, or by stage in cdk.json. */
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { RegionInfo } from "aws-cdk-lib/region-info";
import * as z from "zod/mini";
import { UserError } from "./user-error.ts";

const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === "number" && days !== RetentionDays.INFINITE,
);

const regions = new Set(RegionInfo.regions.map(({ name }) => name));

const text = (pattern: RegExp, accepts: string) => z.string().check(z.regex(pattern, accepts));

const count = (pattern: RegExp, accepts: string) => z.pipe(text(pattern, accepts), z.transform(Number));

const flag = z._default(
  z.pipe(
    text(/^(true|false)$/, "true or false"),
    z.transform((answer) => answer === "true"),
  ),
  false,
);

/** Every setting is optional. The messages complete the sentence "`setting` takes …". */
const Settings = z.object({
  /** Names the stack and the API's stage, so that several live side by side in one account. */
  stage: z._default(
    text(/^[a-z][a-z\d-]{0,29}$/, "up to 30 lower-case letters, digits and hyphens, the first a letter"),
    "prod",
  ),
  /** The API's own domain name, with {@link certificate}. */
  domain: z.optional(
    text(/^(?=.{1,253}$)([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/, "a domain name such as api.example.com"),
  ),
  /** A certificate for {@link domain}, in the stack's own region: the API is a regional one. */
  certificate: z.optional(
    text(
      /^arn:aws[a-z-]*:acm:[a-z\d-]+:\d{12}:certificate\/[\w-]+$/,
      "the ARN of an ACM certificate in the stack's region",
    ),
  ),
  logRetentionDays: z._default(
    z.pipe(
      text(
        new RegExp(`^(${retentionDays.join("|")})$`),
        `a number of days out of ${retentionDays.join(", ")}`,
      ),
      z.transform((days): RetentionDays => Number(days)),
    ),
    RetentionDays.ONE_MONTH,
  ),
  /** Hears of every alarm, and of its end. */
  alarmTopic: z.optional(
    text(
      /^arn:aws[a-z-]*:sns:[a-z\d-]+:\d{12}:[\w-]{1,256}$/,
      "the ARN of a standard SNS topic in the stack's region",
    ),
  ),
  /** Requests that the stage takes in a second, of all callers together. */
  rateLimit: z._default(count(/^[1-9]\d{0,5}$/, "a number of requests a second"), 100),
  /** Requests that may arrive at once before {@link rateLimit} holds. */
  burstLimit: z._default(count(/^[1-9]\d{0,5}$/, "a number of requests"), 200),
  /** Requests a minute of one key, or of one address that sends none. */
  keyRateLimit: z.optional(count(/^[1-9]\d{1,8}$/, "a number of requests a minute, 10 or more")),
  /** How many of each function run at once: so many are its own, and it gets no more. */
  concurrency: z.optional(count(/^[1-9]\d{0,5}$/, "a number of executions")),
  /** A table that is there already, which the stack serves instead of making one. */
  tableName: z.optional(text(/^[\w.-]{3,255}$/, "the name of a DynamoDB table in the stack's region")),
  /** Regions that hold a copy of the table, beside the stack's own. */
  replicaRegions: z._default(
    z.pipe(
      z.string().check(
        z.refine((list) => list.split(",").every((region) => regions.has(region)), {
          error: "AWS regions with commas between them, such as eu-west-1,us-west-2",
        }),
      ),
      z.transform((list): string[] => [...new Set(list.split(","))]),
    ),
    [],
  ),
  /** A way in for messages and events from other programs: a bucket, a queue and a function. */
  intake: flag,
  /** Time until an event that keeps failing becomes a dead letter. Only with {@link intake}. */
  deadLetterMinutes: z._default(count(/^([1-9]|[1-5]\d|60)$/, "a number of minutes from 1 to 60"), 60),
  /** For a stack that is thrown away: `cdk destroy` takes the table and the logs with it. */
  removeEverything: flag,
});
export type Settings = z.output<typeof Settings>;

type Given = Record<string, unknown>;

const Stages = z.record(z.string(), z.record(z.string(), z.unknown()));

/** The settings of one stage, out of `stages` in cdk.json; none where cdk.json has no stages. */
const settingsOfStage = (stages: unknown, stage: string): Given => {
  if (stages === undefined) return {};
  const named = Stages.safeParse(stages);
  if (!named.success) {
    throw new UserError('stages takes settings by stage, as in {"prod": {"logRetentionDays": 90}}');
  }
  const found = named.data[stage];
  if (found) return { ...found, stage };
  throw new UserError(`There is no stage ${stage}: cdk.json has ${Object.keys(named.data).join(", ")}`);
};

const checkNames = (given: Given) => {
  const known = Object.keys(Settings.shape);
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw new UserError(`There is no setting ${stranger}: the settings are ${known.join(", ")}`);
};

const checkTogether = (settings: Settings, region: string | undefined) => {
  if (region !== undefined && !regions.has(region)) {
    throw new UserError(`There is no AWS region named ${region}`);
  }
  const { domain, certificate, alarmTopic, tableName, replicaRegions } = settings;
  if ((domain === undefined) !== (certificate === undefined)) {
    throw new UserError("domain and certificate go together: set both, or neither");
  }
  if (tableName !== undefined && replicaRegions.length > 0) {
    throw new UserError("replicaRegions are for the stack's own table: tableName names one that has its own");
  }
  if (region !== undefined && replicaRegions.includes(region)) {
    throw new UserError(`replicaRegions must not name ${region}, because the stack itself is there`);
  }
  for (const [name, arn] of Object.entries({ certificate, alarmTopic })) {
    const place = arn?.split(":")[3];
    if (place === undefined || region === undefined || place === region) continue;
    throw new UserError(`${name} is in ${place}, but the stack goes to ${region}`);
  }
};

/** CDK's own context names a feature, a look-up or a tool: `@aws-cdk/core:…`, `availability-zones:…`. */
const isOurs = (name: string): boolean => !name.includes(":");

/**
 * The settings in a CDK app's context (`app.node.getAllContext()`), with defaults for those not there.
 * What `stages` says of the stage holds where the context itself does not say otherwise.
 *
 * @param region where the stack goes, if that is known: a certificate and a topic must be there too
 * @throws UserError for a value that its setting does not take, and for a name that is no setting.
 */
export const readSettings = (context: Given, region?: string): Settings => {
  const { stages, ...own } = Object.fromEntries(Object.entries(context).filter(([name]) => isOurs(name)));
  const given = { ...settingsOfStage(stages, String(own.stage ?? "prod")), ...own };
  checkNames(given);
  // The command line gives text; cdk.json may give a number or a boolean.
  const result = Settings.safeParse(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
  );
  if (!result.success) {
    const [issue] = result.error.issues;
    const name = String(issue?.path[0]);
    throw new UserError(`${name} takes ${issue?.message}, not ${given[name]}`);
  }
  checkTogether(result.data, region);
  return result.data;
};

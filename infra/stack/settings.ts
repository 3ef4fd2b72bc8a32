/** The settings of the stack, from `npm run deploy -- --context stage=dev` or from `stages` in cdk.json. */
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { RegionInfo } from "aws-cdk-lib/region-info";
import * as z from "zod/mini";
import { UserError } from "../cli/user-error.ts";

const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === "number" && days !== RetentionDays.INFINITE,
);

const regions = new Set(RegionInfo.regions.map(({ name }) => name));

const domainName = /(?=.{1,253}$)([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/.source;

const text = (pattern: RegExp, accepts: string) => z.string().check(z.regex(pattern, accepts));

const count = (pattern: RegExp, accepts: string) => z.pipe(text(pattern, accepts), z.transform(Number));

const flag = (otherwise: boolean) =>
  z._default(
    z.pipe(
      text(/^(true|false)$/, "true or false"),
      z.transform((value) => value === "true"),
    ),
    otherwise,
  );

/** Every setting is optional. Each error message completes the sentence "`setting` must be …". */
const Settings = z.object({
  /**
   * Part of the stack's name, so that an AWS account can have several stacks.
   */
  stage: z._default(
    text(/^[a-z][a-z\d-]{0,29}$/, "up to 30 lower-case letters, digits and hyphens, starting with a letter"),
    "prod",
  ),
  domain: z.optional(text(new RegExp(`^${domainName}`), "a domain name such as api.example.com")),
  certificate: z.optional(
    text(
      /^arn:aws[a-z-]*:acm:[a-z\d-]+:\d{12}:certificate\/[\w-]+$/,
      "the ARN of an ACM certificate in the stack's region",
    ),
  ),
  logRetentionDays: z._default(
    z.pipe(
      text(new RegExp(`^(${retentionDays.join("|")})$`), `one of ${retentionDays.join(", ")} days`),
      z.transform((days): RetentionDays => Number(days)),
    ),
    RetentionDays.ONE_MONTH,
  ),
  /** Alarms notify this SNS topic when they start and when they end. */
  alarmTopic: z.optional(
    text(/^arn:aws[a-z-]*:sns:[a-z\d-]+:\d{12}:[\w-]{1,256}$/, "the ARN of a standard SNS topic in the stack's region"),
  ),
  /** The most requests per second that each method accepts, from all callers together. */
  rateLimit: z._default(count(/^[1-9]\d{0,5}$/, "a number of requests per second"), 100),
  /** How many requests a method accepts at once, even if they exceed {@link rateLimit} (API Gateway's burst limit). */
  burstLimit: z._default(count(/^[1-9]\d{0,5}$/, "a number of requests"), 200),
  /**
   * How many requests a minute one API key may make. An IP address may make ten times as many requests as an API key.
   * AWS WAF accepts limits of up to 2,000,000,000.
   */
  keyRateLimit: z.optional(count(/^[1-9]\d{1,7}$/, "a number of requests per minute from 10 to 99999999")),
  /** How many executions of each operation's function may run at once (Lambda's reserved concurrency). */
  concurrency: z.optional(count(/^[1-9]\d{0,5}$/, "a number of executions")),
  /** The name of an existing table, which the stack uses instead of creating a table. */
  tableName: z.optional(text(/^[\w.-]{3,255}$/, "the name of a DynamoDB table in the stack's region")),
  /** The regions with a replica of the table, besides the stack's own region. */
  replicaRegions: z._default(
    z.pipe(
      z.string().check(
        z.refine((list) => list.split(",").every((region) => regions.has(region)), {
          error: "AWS regions separated by commas, such as eu-west-1,us-west-2",
        }),
      ),
      z.transform((list): string[] => [...new Set(list.split(","))]),
    ),
    [],
  ),
  /** Adds a bucket, a queue and a function through which your programs send messages and events. */
  intake: flag(false),
  /**
   * How many executions of `RecordEvents` the queue may start at once (Lambda's maximum concurrency of an event source, 2
   * to 1,000). A new AWS account has only 10 concurrent executions: if the events used them all, the API would get none.
   */
  eventConcurrency: z._default(count(/^([2-9]|[1-9]\d{1,2}|1000)$/, "a number of executions from 2 to 1000"), 5),
  /** For how many minutes a failed event is retried before it becomes a dead letter. */
  deadLetterMinutes: z._default(count(/^([1-9]|[1-5]\d|60)$/, "a number of minutes from 1 to 60"), 60),
  /** The configuration sets of Amazon SES whose events the intake records. */
  ses: z._default(
    z.pipe(
      text(/^[\w-]{1,64}(,[\w-]{1,64})*$/, "names of SES configuration sets, separated by commas"),
      z.transform((list): string[] => [...new Set(list.split(","))]),
    ),
    [],
  ),
  /** A rule set of Amazon SES, and the domain whose received emails the intake stores. */
  sesReceived: z.optional(
    text(new RegExp(`^[\\w.-]{1,64}:${domainName}`), "RULE_SET:DOMAIN, such as inbound:example.com"),
  ),
  /** The customer-managed key that encrypts the table, the logs and the intake. Without it, AWS's own keys do. */
  kmsKey: z.optional(
    text(
      /^arn:aws[a-z-]*:kms:[a-z\d-]+:\d{12}:key\/(mrk-[a-f\d]{32}|[a-f\d-]{36})$/,
      "the ARN of a KMS key (not of an alias) in the stack's region",
    ),
  ),
  /** Sends traces of the API and its functions to AWS X-Ray. */
  tracing: flag(false),
  /** Tags of every resource, for your company's bills and rules. */
  tags: z._default(
    z.pipe(
      text(/^[^=,]{1,128}=[^=,]{1,256}(,[^=,]{1,128}=[^=,]{1,256})*$/, "NAME=VALUE,NAME=VALUE"),
      z.transform((list): Record<string, string> => Object.fromEntries(list.split(",").map((tag) => tag.split("=")))),
    ),
    {},
  ),
  /** Sets the role with which API Gateway writes logs, for all APIs of the account in the region. */
  gatewayLogRole: flag(true),
  /** Parts of the deployed stack that this deployment may remove or replace. */
  remove: z._default(
    z.pipe(
      text(/^\w+(,\w+)*$/, "names separated by commas, such as intake,domain"),
      z.transform((list): string[] => list.split(",")),
    ),
    [],
  ),
  /** Lets `cdk destroy` also delete the table, the logs and the intake's data. */
  removeEverything: flag(false),
});
export type Settings = z.output<typeof Settings>;

type Given = Record<string, unknown>;

const Stages = z.record(z.string(), z.record(z.string(), z.unknown()));

const settingsOfStage = (stages: unknown, stage: string): Given => {
  if (stages === undefined) return {};
  const named = Stages.safeParse(stages);
  if (!named.success) {
    throw new UserError('stages must map each stage to its settings, as in {"prod": {"logRetentionDays": 90}}');
  }
  const found = named.data[stage];
  if (found && "remove" in found) {
    throw new UserError("remove is for one deployment: write it as --context remove=…, not into cdk.json");
  }
  if (found) return { ...found, stage };
  throw new UserError(`cdk.json has no stage named ${stage}. Its stages are ${Object.keys(named.data).join(", ")}`);
};

const checkNames = (given: Given) => {
  const known = Object.keys(Settings.shape);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UserError(`There is no setting named ${unknown}. The settings are ${known.join(", ")}`);
};

const checkTogether = (settings: Settings, region: string | undefined) => {
  if (region !== undefined && !regions.has(region)) {
    throw new UserError(`There is no AWS region named ${region}`);
  }
  const { domain, certificate, alarmTopic, tableName, replicaRegions, kmsKey } = settings;
  if ((domain === undefined) !== (certificate === undefined)) {
    throw new UserError("Set both domain and certificate, or neither");
  }
  if (tableName !== undefined && replicaRegions.length > 0) {
    throw new UserError("replicaRegions cannot be set with tableName, because the stack does not change that table");
  }
  if (region !== undefined && replicaRegions.includes(region)) {
    throw new UserError(`replicaRegions must not name ${region}, because the stack itself is there`);
  }
  if (kmsKey !== undefined && replicaRegions.length > 0 && !kmsKey.includes(":key/mrk-")) {
    throw new UserError("kmsKey must be a multi-Region key with replicaRegions, with a replica in each of the regions");
  }
  for (const [name, arn] of Object.entries({ certificate, alarmTopic, kmsKey })) {
    const itsRegion = arn?.split(":")[3];
    if (itsRegion === undefined || region === undefined || itsRegion === region) continue;
    throw new UserError(`${name} is in ${itsRegion}, but the stack is deployed to ${region}`);
  }
};

/**
 * Reads the settings from a CDK app's context (`app.node.getAllContext()`). A setting on the command line overrides the
 * same setting in `stages`.
 *
 * @param region the stack's region, if it is known
 * @throws UserError if a name or a value is wrong, or if a certificate or a topic is in another region
 */
export const readSettings = (context: Given, region?: string): Settings => {
  // CDK keeps its own settings in the context, too, such as `@aws-cdk/core:…`.
  const ours = Object.entries(context).filter(([name]) => !name.includes(":"));
  const { stages, ...own } = Object.fromEntries(ours);
  const given = { ...settingsOfStage(stages, String(own.stage ?? "prod")), ...own };
  checkNames(given);
  // Values from the command line are strings, but values from cdk.json can be numbers and booleans.
  const result = Settings.safeParse(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
  );
  if (!result.success) {
    const lines = result.error.issues.map(
      ({ path: [name = ""], message }) => `${String(name)} must be ${message}, not ${given[String(name)]}`,
    );
    throw new UserError(lines.join("\n"));
  }
  checkTogether(result.data, region);
  const { intake, ses, sesReceived } = result.data;
  return { ...result.data, intake: intake || ses.length > 0 || sesReceived !== undefined };
};

/** What an operator may set, as CDK context: `npm run deploy -- --context stage=dev`. */
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as z from "zod/mini";

const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === "number" && days !== RetentionDays.INFINITE,
);

const text = (pattern: RegExp, accepts: string) => z.string().check(z.regex(pattern, accepts));

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
  /** Regions that hold a copy of the table, beside the stack's own. */
  replicaRegions: z._default(
    z.pipe(
      text(
        /^[a-z]{2}(-[a-z]+)+-\d(,[a-z]{2}(-[a-z]+)+-\d)*$/,
        "regions with commas between them, such as eu-west-1,us-west-2",
      ),
      z.transform((regions): string[] => [...new Set(regions.split(","))]),
    ),
    [],
  ),
  /** For a stack that is thrown away: `cdk destroy` takes the table and the logs with it. */
  removeEverything: z._default(
    z.pipe(
      text(/^(true|false)$/, "true or false"),
      z.transform((answer) => answer === "true"),
    ),
    false,
  ),
});
export type Settings = z.output<typeof Settings>;

/** A setting that can't be used; its message is the one line that the operator sees. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** CDK's own context names a feature, a look-up or a tool: `@aws-cdk/core:…`, `availability-zones:…`. */
const isOurs = (name: string): boolean => !name.includes(":");

/**
 * The settings in a CDK app's context (`app.node.getAllContext()`), with defaults for those not there.
 *
 * @throws SettingError for a value that its setting does not take, and for a name that is no setting.
 */
export const readSettings = (context: Record<string, unknown>): Settings => {
  const given = Object.entries(context).filter(([name]) => isOurs(name));
  const known = Object.keys(Settings.shape);
  const stranger = given.find(([name]) => !known.includes(name));
  if (stranger) {
    throw new SettingError(`There is no setting ${stranger[0]}: the settings are ${known.join(", ")}`);
  }
  // The command line gives text; cdk.json may give a number or a boolean.
  const result = Settings.safeParse(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
  if (!result.success) {
    const [issue] = result.error.issues;
    const name = String(issue?.path[0]);
    throw new SettingError(`${name} takes ${issue?.message}, not ${context[name]}`);
  }
  const { domain, certificate } = result.data;
  if ((domain === undefined) !== (certificate === undefined)) {
    throw new SettingError("domain and certificate go together: set both, or neither");
  }
  return result.data;
};

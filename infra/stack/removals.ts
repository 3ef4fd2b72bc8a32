/**
 * Rejects a deployment that would remove or replace something that lasts: a forgotten `intake=true` would stop the events,
 * and a forgotten `tableName` would serve an empty table, in which no API key exists.
 */
import { isDeepStrictEqual } from "node:util";
import { UserError } from "../cli/user-error.ts";
import type { Resource, Template } from "./deployed-stack.ts";

/** The types of resources that last, with the properties whose change makes CloudFormation replace them. */
const identifying = new Map([
  ["AWS::DynamoDB::GlobalTable", ["TableName", "KeySchema"]],
  ["AWS::S3::Bucket", ["BucketName"]],
  ["AWS::SQS::Queue", ["QueueName", "FifoQueue"]],
  ["AWS::Lambda::Function", ["FunctionName", "PackageType"]],
  ["AWS::ApiGateway::DomainName", ["DomainName"]],
  ["AWS::SNS::Topic", ["TopicName"]], // of Amazon SES
]);

const isKept = ({ Type, Properties }: Resource, next: Resource | undefined): boolean =>
  next?.Type === Type &&
  (identifying.get(Type) ?? []).every((name) => isDeepStrictEqual(Properties?.[name], next.Properties?.[name]));

/** The part of the stack that a resource belongs to, by the name of its setting or its function. */
const partOf = (id: string, { Type }: Resource): string => {
  if (Type === "AWS::DynamoDB::GlobalTable") return "table";
  if (Type === "AWS::ApiGateway::DomainName") return "domain";
  if (Type === "AWS::SNS::Topic") return "ses";
  return id.startsWith("Intake") ? "intake" : id.replace(/Function[\dA-F]{8}$/, "");
};

/** The name of the existing table that a stack uses, or a reference to its own. */
const tableOf = ({ Outputs }: Template): unknown => Outputs?.TableName?.Value;

const howToKeep = (part: string, deployed: Template, lost: readonly Resource[]): string => {
  const table = tableOf(deployed);
  const [properties = {}] = lost.map(({ Properties }) => Properties);
  if (part === "table") return typeof table === "string" ? `add --context tableName=${table}` : "leave out tableName";
  if (part === "intake") return "add --context intake=true";
  if (part === "ses") return "add --context ses=… and --context sesReceived=… as before";
  if (part !== "domain") return "deploy a commit that has it";
  return `add --context domain=${properties.DomainName} --context certificate=${properties.RegionalCertificateArn}`;
};

/**
 * @param allowed the parts that the operator has named with `--context remove=…`
 * @throws UserError if another part would be removed or replaced
 */
export const checkRemovals = (deployed: Template, next: Template, allowed: readonly string[]): void => {
  const lost = Object.entries(deployed.Resources ?? {}).filter(
    ([id, resource]) =>
      identifying.has(resource.Type) &&
      !id.startsWith("Custom") && // CDK's own functions keep nothing.
      !isKept(resource, next.Resources?.[id]),
  );
  const parts = Map.groupBy(lost, ([id, resource]) => partOf(id, resource));
  const table = tableOf(deployed);
  if (table !== undefined && !isDeepStrictEqual(table, tableOf(next)) && !parts.has("table")) parts.set("table", []);
  const lines = [...parts]
    .filter(([part]) => !allowed.includes(part))
    .map(([part, resources]) => {
      const ids = resources.map(([id]) => id).join(", ") || table;
      const keep = howToKeep(
        part,
        deployed,
        resources.map(([, resource]) => resource),
      );
      return `This deployment would remove or replace ${part} (${ids}). To keep it, ${keep}. To let it go, add --context remove=${part}`;
    });
  if (lines.length > 0) throw new UserError(lines.join("\n"));
};

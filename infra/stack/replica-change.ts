/** Checks a change to the table's replicas before the deployment, because CloudFormation reports a mistake too late. */
import { isDeepStrictEqual } from "node:util";
import { UserError } from "../cli/user-error.ts";
import type { Resource, Template } from "./deployed-stack.ts";

const tableOf = (template: Template): Resource | undefined =>
  Object.values(template.Resources ?? {}).find(({ Type }) => Type === "AWS::DynamoDB::GlobalTable");

const replicasOf = ({ Properties }: Resource) => Properties?.Replicas as { Region: string }[] | undefined;

const regionsOf = (table: Resource): Set<string> => new Set(replicasOf(table)?.map(({ Region }) => Region));

/** Returns the table without its replica in `region`, and without the stream that CDK adds for replicas. */
const withoutReplica = (resource: Resource | undefined, region: string | undefined): unknown => {
  const replicas = resource && replicasOf(resource);
  if (!replicas) return resource;
  const { StreamSpecification: _, ...others } = resource.Properties ?? {};
  const Replicas = replicas.filter(({ Region }) => Region !== region);
  return { ...resource, Properties: { ...others, Replicas } };
};

/** Returns the id of the first changed resource, not counting the replica in `region`. */
const otherChange = (deployed: Template, next: Template, region: string | undefined): string | undefined => {
  const all = { ...deployed.Resources, ...next.Resources };
  return Object.keys(all).find(
    (id) =>
      all[id]?.Type !== "AWS::CDK::Metadata" &&
      !isDeepStrictEqual(
        withoutReplica(deployed.Resources?.[id], region),
        withoutReplica(next.Resources?.[id], region),
      ),
  );
};

/**
 * CloudFormation adds or removes only one replica per update, and nothing else should change in that update. A rollback
 * can leave the new replica behind, which then has to be deleted by hand.
 *
 * @throws UserError if the deployment changes more than one replica, or one replica and something else
 */
export const checkReplicaChange = (deployed: Template, next: Template): void => {
  const [before, after] = [tableOf(deployed), tableOf(next)];
  if (!before || !after) return;
  const changed = [...regionsOf(before).symmetricDifference(regionsOf(after))];
  if (changed.length === 0) return;
  if (changed.length > 1) {
    throw new UserError(
      `replicaRegions may gain or lose one region per deployment, not ${changed.length}: ${changed.join(", ")}`,
    );
  }
  const other = otherChange(deployed, next, changed[0]);
  if (other === undefined) return;
  throw new UserError(
    `replicaRegions must change in a deployment of its own, but ${other} changes too. Deploy the other changes first`,
  );
};

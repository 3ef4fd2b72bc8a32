/** A rate limit per API key: AWS WAF blocks what is above it before it reaches a function. */
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";

export type KeyRateLimitProps = { gatewayStage: Stage; requestsPerMinute: number };

const withoutAuthorization: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      sizeConstraintStatement: {
        fieldToMatch: { singleHeader: { Name: "authorization" } },
        comparisonOperator: "GT",
        size: 0,
        textTransformations: [{ priority: 0, type: "NONE" }],
      },
    },
  },
};

/** Other spaces or another case in the Authorization header don't make another caller. */
const authorization: CfnWebACL.RateBasedStatementCustomKeyProperty = {
  header: {
    name: "authorization",
    textTransformations: [
      { priority: 0, type: "COMPRESS_WHITE_SPACE" },
      { priority: 1, type: "LOWERCASE" },
    ],
  },
};

/** No sampled requests: the console would show their Authorization header, and so API keys. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/** An office or a data centre behind one address may have this many busy keys before their address is limited, too. */
const keysPerAddress = 10;

/**
 * Two rules limit the requests of each API key, and of each address that sends none. A caller who makes up a new key for each
 * request gets past both, so the third counts everything that an address sends.
 *
 * It's API Gateway that responds to a blocked request: a response of AWS WAF couldn't have a request id.
 */
export class KeyRateLimit extends Construct {
  constructor(scope: Construct, id: string, { gatewayStage, requestsPerMinute }: KeyRateLimitProps) {
    super(scope, id);
    const rule = (
      name: string,
      priority: number,
      counts: Omit<CfnWebACL.RateBasedStatementProperty, "limit">,
      limit = requestsPerMinute,
    ): CfnWebACL.RuleProperty => ({
      name,
      priority,
      action: { block: {} },
      statement: {
        rateBasedStatement: { ...counts, limit, evaluationWindowSec: 60 },
      },
      visibilityConfig: visibility(name),
    });
    const acl = new CfnWebACL(this, "WebAcl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      rules: [
        rule("by-key", 0, { aggregateKeyType: "CUSTOM_KEYS", customKeys: [authorization] }),
        rule("by-address", 1, { aggregateKeyType: "IP", scopeDownStatement: withoutAuthorization }),
        rule("all-of-address", 2, { aggregateKeyType: "IP" }, keysPerAddress * requestsPerMinute),
      ],
      visibilityConfig: visibility("key-rate-limit"),
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: gatewayStage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

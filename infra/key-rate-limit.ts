/** One caller's share of the stage's rate: what exceeds it is refused before it reaches a function. */
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";

export type KeyRateLimitProps = {
  gatewayStage: Stage;
  /** Of one key, or of one address that sends none; AWS WAF takes 10 or more. */
  requestsPerMinute: number;
};

/** The requests that {@link authorization} does not count. */
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

/** One key is one value, however its caller spells the scheme and the spaces after it. */
const authorization: CfnWebACL.RateBasedStatementCustomKeyProperty = {
  header: {
    name: "authorization",
    textTransformations: [
      { priority: 0, type: "COMPRESS_WHITE_SPACE" },
      { priority: 1, type: "LOWERCASE" },
    ],
  },
};

/** AWS WAF's samples of requests hold their headers, so keys: there are none. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/**
 * A web ACL with a rule that counts by key, and one that counts by address where there is no key. It says
 * nothing itself: API Gateway's own response for what it filters can name the request, and AWS WAF's can't.
 */
export class KeyRateLimit extends Construct {
  constructor(scope: Construct, id: string, { gatewayStage, requestsPerMinute }: KeyRateLimitProps) {
    super(scope, id);
    const rule = (
      name: string,
      priority: number,
      counts: Omit<CfnWebACL.RateBasedStatementProperty, "limit">,
    ): CfnWebACL.RuleProperty => ({
      name,
      priority,
      action: { block: {} },
      statement: {
        rateBasedStatement: { ...counts, limit: requestsPerMinute, evaluationWindowSec: 60 },
      },
      visibilityConfig: visibility(name),
    });
    const acl = new CfnWebACL(this, "WebAcl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      rules: [
        rule("by-key", 0, { aggregateKeyType: "CUSTOM_KEYS", customKeys: [authorization] }),
        rule("by-address", 1, { aggregateKeyType: "IP", scopeDownStatement: withoutAuthorization }),
      ],
      visibilityConfig: visibility("key-rate-limit"),
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: gatewayStage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

/** A rate limit per API key. AWS WAF blocks excess requests before they reach a function. */
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

/** A caller can't get around the limit with extra spaces or capital letters in the Authorization header. */
const authorization: CfnWebACL.RateBasedStatementCustomKeyProperty = {
  header: {
    name: "authorization",
    textTransformations: [
      { priority: 0, type: "COMPRESS_WHITE_SPACE" },
      { priority: 1, type: "LOWERCASE" },
    ],
  },
};

/** AWS WAF's samples of requests would show API keys in the AWS console, so we turn them off. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/** A whole office can share one IP address, so the limit per address is higher than the limit per API key. */
const keysPerAddress = 10;

/**
 * One rule limits each API key, and another limits each IP address that sends no key. Without a limit per IP address, a
 * caller could avoid every limit with a new, invented API key in each request.
 *
 * AWS WAF could respond by itself, but without our X-Request-Id, so API Gateway responds to the requests that AWS WAF
 * blocks.
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

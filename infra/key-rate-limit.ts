/** A rate limit per API key. AWS WAF rejects requests above the limit before they reach a function. */
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";

export type KeyRateLimitProps = {
  gatewayStage: Stage;
  /** The limit of one API key, and of one address for requests without a key. AWS WAF accepts 10 or more. */
  requestsPerMinute: number;
};

/** Matches requests without an Authorization header. */
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

/** Counts by API key. The transformations make all spellings of the scheme and the spaces equal. */
const authorization: CfnWebACL.RateBasedStatementCustomKeyProperty = {
  header: {
    name: "authorization",
    textTransformations: [
      { priority: 0, type: "COMPRESS_WHITE_SPACE" },
      { priority: 1, type: "LOWERCASE" },
    ],
  },
};

/** Without samples of requests, because samples contain headers, and so API keys. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/**
 * A web ACL with two rules: one counts by API key, the other by address if there is no key. The web ACL has no custom
 * response, because API Gateway's response for blocked requests has the request id.
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

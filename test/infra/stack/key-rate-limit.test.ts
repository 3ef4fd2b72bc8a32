/** The rate limit per API key, as the template has it. */
import { Match } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { tooManyRequests } from "../../../lib/http/error-catalogue.ts";
import { ofType, templateWith } from "../../harness/synthesise.ts";

const template = templateWith({ keyRateLimit: "600" });
const [acl] = ofType(template, "AWS::WAFv2::WebACL");

const limit = (statement: object, Limit = 600) => ({
  Action: { Block: {} },
  Statement: { RateBasedStatement: { ...statement, Limit, EvaluationWindowSec: 60 } },
});

test("Without a limit there is no web ACL", () => {
  templateWith().resourceCountIs("AWS::WAFv2::WebACL", 0);
  templateWith().resourceCountIs("AWS::WAFv2::WebACLAssociation", 0);
});

test("Requests per minute are counted by API key in any spelling, and by address without a key", () => {
  const key = {
    Name: "authorization",
    TextTransformations: [
      { Priority: 0, Type: "COMPRESS_WHITE_SPACE" },
      { Priority: 1, Type: "LOWERCASE" },
    ],
  };
  const withKey = {
    FieldToMatch: { SingleHeader: { Name: "authorization" } },
    ComparisonOperator: "GT",
    Size: 0,
    TextTransformations: [{ Priority: 0, Type: "NONE" }],
  };

  expect(acl?.Properties.Rules).toMatchObject([
    { Priority: 0, ...limit({ AggregateKeyType: "CUSTOM_KEYS", CustomKeys: [{ Header: key }] }) },
    {
      Priority: 1,
      ...limit({
        AggregateKeyType: "IP",
        ScopeDownStatement: { NotStatement: { Statement: { SizeConstraintStatement: withKey } } },
      }),
    },
    { Priority: 2, ...limit({ AggregateKeyType: "IP" }, 6000) },
  ]);
});

test("A caller who makes up keys is counted by address, whatever the header", () => {
  const everyRequest = acl?.Properties.Rules[2].Statement.RateBasedStatement;

  expect(everyRequest).not.toHaveProperty("ScopeDownStatement");
});

test("All other requests pass, and AWS WAF keeps no samples, because samples contain API keys", () => {
  const visibility = [acl?.Properties, ...(acl?.Properties.Rules ?? [])].map((of) => of.VisibilityConfig);

  expect(acl?.Properties).toMatchObject({ Scope: "REGIONAL", DefaultAction: { Allow: {} } });
  expect(visibility.map((of) => of.SampledRequestsEnabled)).toEqual([false, false, false, false]);
  expect(visibility.map((of) => of.CloudWatchMetricsEnabled)).toEqual([true, true, true, true]);
});

test("A request above the limit gets the API's own 429, because the web ACL has no custom response", () => {
  template.hasResourceProperties("AWS::ApiGateway::GatewayResponse", {
    ResponseType: "WAF_FILTERED",
    StatusCode: "429",
    ResponseParameters: {
      "gatewayresponse.header.X-Request-Id": "context.extendedRequestId",
      "gatewayresponse.header.Retry-After": "'1'",
    },
    ResponseTemplates: { "application/json": JSON.stringify({ message: tooManyRequests.message }) },
  });
  expect(JSON.stringify(acl)).not.toContain("CustomResponse");
});

test("The web ACL protects the API's stage", () => {
  template.hasResourceProperties("AWS::WAFv2::WebACLAssociation", {
    ResourceArn: {
      "Fn::Join": ["", Match.arrayWith(["/stages/", { Ref: Match.stringLikeRegexp("Stage") }])],
    },
    WebACLArn: { "Fn::GetAtt": [Match.stringLikeRegexp("WebAcl"), "Arn"] },
  });
});

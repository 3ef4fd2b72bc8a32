/** One caller's share of the rate, as the template has it. */
import { Match } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { tooManyRequests } from "../../lib/api/error-catalogue.ts";
import { ofType, templateWith } from "../harness/synthesise.ts";

const template = templateWith({ keyRateLimit: "600" });
const [acl] = ofType(template, "AWS::WAFv2::WebACL");

const counts = (of: object) => ({
  RateBasedStatement: { ...of, Limit: 600, EvaluationWindowSec: 60 },
});

test("Without a limit there is no web ACL, and none to pay for", () => {
  templateWith().resourceCountIs("AWS::WAFv2::WebACL", 0);
  templateWith().resourceCountIs("AWS::WAFv2::WebACLAssociation", 0);
});

test("Requests are counted by the minute: by key, however it is spelled, and by address without one", () => {
  expect(acl?.Properties.Rules).toMatchObject([
    {
      Priority: 0,
      Action: { Block: {} },
      Statement: counts({
        AggregateKeyType: "CUSTOM_KEYS",
        CustomKeys: [
          {
            Header: {
              Name: "authorization",
              TextTransformations: [
                { Priority: 0, Type: "COMPRESS_WHITE_SPACE" },
                { Priority: 1, Type: "LOWERCASE" },
              ],
            },
          },
        ],
      }),
    },
    {
      Priority: 1,
      Action: { Block: {} },
      Statement: counts({
        AggregateKeyType: "IP",
        ScopeDownStatement: {
          NotStatement: {
            Statement: {
              SizeConstraintStatement: {
                FieldToMatch: { SingleHeader: { Name: "authorization" } },
                ComparisonOperator: "GT",
                Size: 0,
                TextTransformations: [{ Priority: 0, Type: "NONE" }],
              },
            },
          },
        },
      }),
    },
  ]);
});

test("Everything else passes, and no sample of a request, which would hold its key, is kept", () => {
  const visibility = [acl?.Properties, ...(acl?.Properties.Rules ?? [])].map((of) => of.VisibilityConfig);

  expect(acl?.Properties).toMatchObject({ Scope: "REGIONAL", DefaultAction: { Allow: {} } });
  expect(visibility.map((of) => of.SampledRequestsEnabled)).toEqual([false, false, false]);
  expect(visibility.map((of) => of.CloudWatchMetricsEnabled)).toEqual([true, true, true]);
});

test("What is over the limit is a 429 in the API's own shape: AWS WAF's would take precedence over it", () => {
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

test("The web ACL stands before the API's stage", () => {
  template.hasResourceProperties("AWS::WAFv2::WebACLAssociation", {
    ResourceArn: {
      "Fn::Join": ["", Match.arrayWith(["/stages/", { Ref: Match.stringLikeRegexp("Stage") }])],
    },
    WebACLArn: { "Fn::GetAtt": [Match.stringLikeRegexp("WebAcl"), "Arn"] },
  });
});

/**
 * What we change in a template so that MiniStack can run it; the stack itself knows nothing of the emulator. When a new version
 * closes a gap, the test "still needs this adaptation" fails, and the adaptation can go.
 */

type Resource = { Type: string; Properties: Record<string, unknown> };
export type Template = {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
};

export type Adaptation = { gap: string; adapt: (resource: Resource, remove: () => void) => void };

/** `app.ts` adds this file to the code of each function. */
export const handlerFile = "emulator-handler.mjs";

export const adaptations: Adaptation[] = [
  {
    gap: "CloudFormation rejects alarms with metric math",
    adapt: ({ Type, Properties }, remove) => {
      if (Type === "AWS::CloudWatch::Alarm" && Properties.Metrics) remove();
    },
  },
  {
    gap: "CloudFormation rejects associations of web ACLs",
    adapt: ({ Type }, remove) => {
      if (Type === "AWS::WAFv2::WebACLAssociation") remove();
    },
  },
  {
    gap: "API Gateway does not know the URI of response streaming",
    adapt: (resource) => {
      if (resource.Type !== "AWS::ApiGateway::Method") return;
      const uri = JSON.stringify(resource.Properties)
        .replace("2021-11-15", "2015-03-31")
        .replace("response-streaming-invocations", "invocations");
      resource.Properties = JSON.parse(uri);
    },
  },
  {
    gap: "Lambda does not stream responses",
    adapt: ({ Type, Properties }) => {
      const isOurs = Properties.Environment; // CDK adds a function without one, which empties the bucket.
      if (Type === "AWS::Lambda::Function" && isOurs) Properties.Handler = "emulator-handler.handler";
    },
  },
  {
    gap: "API Gateway does not return compressed responses",
    adapt: ({ Type, Properties }) => {
      if (Type === "AWS::ApiGateway::RestApi") Properties.BinaryMediaTypes = ["*/*"];
    },
  },
  {
    gap: "Gateway responses have no extendedRequestId",
    adapt: (resource) => {
      if (resource.Type !== "AWS::ApiGateway::GatewayResponse") return;
      const properties = JSON.stringify(resource.Properties);
      resource.Properties = JSON.parse(properties.replace("context.extendedRequestId", "context.requestId"));
    },
  },
];

/** CloudFormation rejects this resource, whatever else the template has: see `describeSes`. */
export const receiptRule = {
  Type: "AWS::SES::ReceiptRule",
  Properties: { RuleSetName: "inbound", Rule: { Enabled: true, Recipients: ["shop.example"] } },
};

/** No DNS server knows the emulator, so the API's URL becomes the emulator's own. */
const adaptUrl = ({ Outputs = {} }: Template, endpoint: string): void => {
  const { ApiUrl } = Outputs;
  const url = JSON.stringify(ApiUrl?.Value);
  const [, api, stage] = /\{"Ref":"([^"]+)"\},"\.execute-api.*"(\/[^"]+)"\]/.exec(url) ?? [];
  if (ApiUrl && api) ApiUrl.Value = { "Fn::Sub": `${endpoint}/_aws/execute-api/\${${api}}${stage}` };
};

export const adaptTemplate = (template: Template, chosen: Adaptation[], endpoint: string): Template => {
  for (const [id, resource] of Object.entries(template.Resources ?? {})) {
    if (resource.Type === receiptRule.Type) delete template.Resources[id];
    if (!resource.Properties) continue;
    for (const { adapt } of chosen) adapt(resource, () => delete template.Resources[id]);
  }
  adaptUrl(template, endpoint);
  return template;
};

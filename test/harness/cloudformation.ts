/** A CloudFormation that has one stack, or none. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "./listen.ts";
import { run } from "./process.ts";
import { cdkJson, withoutBundles } from "./synthesise.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type StackState = {
  status?: string;
  isProtected?: boolean;
  template?: object;
  error?: [code: string, message: string];
};

const escaped = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Returns its URL. @param asked receives the action, the stack and the region of each request */
export const startCloudFormation = async (
  { status, isProtected = false, template = {}, error }: StackState,
  asked: string[] = [],
) => {
  const [code, message] = error ?? ["ValidationError", "Stack with id EmailApi-prod does not exist"];
  const responses: Record<string, string> = {
    DescribeStacks: `<Stacks><member><StackName>EmailApi-prod</StackName><CreationTime>2026-11-20T12:00:00Z</CreationTime><StackStatus>${status}</StackStatus><EnableTerminationProtection>${isProtected}</EnableTerminationProtection></member></Stacks>`,
    GetTemplate: `<TemplateBody>${escaped(JSON.stringify(template))}</TemplateBody>`,
  };
  const server = createServer(async (request, response) => {
    const parameters = new URLSearchParams(await text(request));
    const action = parameters.get("Action") ?? "";
    const [, region] = /Credential=[^/]+\/\d+\/([\w-]+)/.exec(request.headers.authorization ?? "") ?? [];
    asked.push(`${action} ${parameters.get("StackName")} ${region}`);
    response
      .writeHead(status ? 200 : 400, { "Content-Type": "text/xml" })
      .end(
        status
          ? `<R><${action}Result>${responses[action]}</${action}Result></R>`
          : `<R><Error><Code>${code}</Code><Message>${message}</Message></Error></R>`,
      );
  });
  return `http://127.0.0.1:${await listen(server)}`;
};

/** Runs the CDK app as `npm run deploy` does, for an account with this stack. */
export const runApp = async (
  state: StackState,
  settings: object = {},
  variables: Record<string, string> = {},
  asked: string[] = [],
) => {
  const CDK_OUTDIR = temporaryFolder();
  const outcome = await run("node infra/app.ts", {
    variables: {
      CDK_CONTEXT_JSON: JSON.stringify({ ...cdkJson.context, ...withoutBundles, ...settings }),
      CDK_OUTDIR,
      CDK_VALIDATION: "false",
      CDK_DEFAULT_REGION: "eu-west-1",
      CDK_DEFAULT_ACCOUNT: "123456789012",
      AWS_ENDPOINT_URL_CLOUDFORMATION: await startCloudFormation(state, asked),
      AWS_ACCESS_KEY_ID: "any",
      AWS_SECRET_ACCESS_KEY: "any",
      ...variables,
    },
  });
  return { ...outcome, folder: CDK_OUTDIR };
};

/** `npm start -- --stage`: what it reads from the outputs of a stack. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { findStage } from "../../../infra/local/stage.ts";
import { startCloudFormation } from "../../harness/cloudformation.ts";
import { listen } from "../../harness/listen.ts";

/** Serves CloudFormation with a stack that has these outputs, in the XML of its query protocol. */
const serveStack = async (outputs: Record<string, string>): Promise<string[]> => {
  const asked: string[] = [];
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<member><StackName>s</StackName><Outputs>${members.join("")}</Outputs></member>`;
  const body = `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`;
  const server = createServer(async (request, response) => {
    asked.push(await text(request));
    response.setHeader("Content-Type", "text/xml").end(body);
  });
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", `http://127.0.0.1:${await listen(server)}`);
  return asked;
};

test("It finds the table and the API of a stage", async () => {
  const asked = await serveStack({ TableName: "EmailApi-dev-Table", ApiUrl: "https://api.example.com/dev/" });

  expect(await findStage("dev")).toEqual({ tableName: "EmailApi-dev-Table", api: "https://api.example.com/dev/" });
  expect(asked.join()).toContain("StackName=EmailApi-dev");
});

test("A stage without an API's address has an empty one", async () => {
  await serveStack({ TableName: "EmailApi-dev-Table" });

  expect(await findStage("dev")).toEqual({ tableName: "EmailApi-dev-Table", api: "" });
});

test("A stack that can't be read is an error with the reason", async () => {
  vi.stubEnv(
    "AWS_ENDPOINT_URL_CLOUDFORMATION",
    await startCloudFormation({ error: ["AccessDenied", "Not authorized"] }),
  );

  await expect(findStage("dev")).rejects.toThrow(
    new UserError("--stage dev: the stack EmailApi-dev can't be read: Not authorized"),
  );
});

test("A stack of another kind is an error", async () => {
  await serveStack({ Other: "x" });

  await expect(findStage("dev")).rejects.toThrow("--stage dev: the stack EmailApi-dev has no output TableName");
});

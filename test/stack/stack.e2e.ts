/** `npm run test:stack`: deploys the stack to an AWS emulator with the commands of infra/README.md. */
import { describe, expect, test } from "vitest";
import { startLocal } from "../harness/process.ts";
import { adaptations } from "./adaptations.ts";
import { describeRepairs } from "./dead-letters.ts";
import { type Deployed, existing, findable, readTemplate, resourcesOf, unprotect } from "./deployed-stack.ts";
import { awsFolder, credentials, startEmulator, version } from "./emulator.ts";
import { fillBucket, ownTemplate, works } from "./gaps.ts";
import { blocksOf, changedTypes, section, typesChangedBy, typesIn } from "./readme.ts";
import { restoreDrill } from "./restore-drill.ts";
import { describeSes } from "./ses.ts";
import { openShell } from "./shell.ts";

const variables = { ...credentials, AWS_ENDPOINT_URL: await startEmulator() };
Object.assign(process.env, variables);

const run = openShell({
  ...variables,
  PATH: `${process.env.PATH}:${awsFolder}`,
  CDK_APP: `node ${import.meta.dirname}/app.ts`,
  CDK_REQUIRE_APPROVAL: "never", // Confirms `cdk deploy`.
  CDK_FORCE: "true", // Confirms `cdk destroy`.
  CDK_VALIDATION: "false", // `npm test` validates the template.
  CDK_NOTICES: "false",
});

/** What an emulator can't show: parts of the checks' names, with the reasons. */
const skipped = {
  "TLSv1.2 is accepted": "The emulator serves HTTP.",
  "TLSv1.3 is accepted": "The emulator serves HTTP.",
  "TLSv1.1 is rejected": "The emulator serves HTTP.",
  "role allows exactly the calls": "SimulatePrincipalPolicy ignores the keys of items.",
  "A large message is streamed": "The emulator sends a response when it is complete.",
  "A fault after the first byte": "The emulator sends a response when it is complete.",
  "A 401 in the access log is counted": "The emulator writes no access log.",
  "The time to the first byte": "The emulator reads no metrics from logs.",
  "A replay and a reused Idempotency-Key are counted": "The emulator reads no metrics from logs.",
  "Of parallel requests": "Two processors do not run 50 functions at the same time.",
};

const [deployment = "", ...firstRequests] = blocksOf("Deploy it").map((block) => block.replace(/^npm ci$/m, ""));
const deployDev = "npm run deploy -- --context stage=dev";
const intake = "--context intake=true --context deadLetterMinutes=1";
let firstRequest = "";

test("A first deployment that fails leaves nothing, and can be repeated. cdk bootstrap reads no setting", async () => {
  await run("npx cdk bootstrap --context stage=no-stage --context domain=without-certificate");
  await expect(run(`CREATION_FAILS=true ${deployDev}`)).rejects.toThrow(/ROLLBACK_COMPLETE/);

  expect(await existing(await resourcesOf("EmailApi-dev"))).toEqual([]);
});

test("README's commands deploy the stack, and protect it and its table as soon as it exists", async () => {
  await run(deployment);

  const deployed = JSON.stringify(await readTemplate("EmailApi-dev")); // The emulator ignores the table's own setting.
  expect(new Set(deployed.match(/"DeletionProtectionEnabled":\w+/g))).toEqual(
    new Set(['"DeletionProtectionEnabled":true']),
  );
  await expect(run("npx cdk destroy --context stage=dev")).rejects.toThrow(/TerminationProtection/i);
});

test("README's commands create a key and a message, and the first request returns 200", async () => {
  let output = "";
  for (const block of firstRequests.filter((one) => !one.includes("test:deployed"))) {
    const [key = ""] = /emk_\S+/.exec(output) ?? [];
    const [message = ""] = /[\da-f-]{36}(?= +infra)/.exec(output) ?? [];
    firstRequest = block.replace("API_KEY", key).replace("MESSAGE_ID", message);
    output += await run(firstRequest);
  }
  expect(output).toMatch(/^HTTP\/1.1 200 /m);
});

test("npm start -- --api reads a message of the deployed stage", async () => {
  const api = await run('printf %s "$API_URL"');
  const { url } = await startLocal({}, ["node", "infra/local/main.ts", "--api", api]);

  expect(await run(firstRequest.replaceAll("$API_URL", url))).toMatch(/^HTTP\/1.1 200 /m);
});

test("cdk diff reports no differences after a deployment", async () => {
  expect(await run("npm run diff -- --context stage=dev 2>&1")).toMatch(/There were no differences/);
});

describe(`MiniStack ${version}`, () => {
  const own = ownTemplate();

  test("runs the stack with all adaptations", async () => {
    expect(await works(own, adaptations)).toBe(true);
  });

  test.each(adaptations)("still needs this adaptation: $gap", async (adaptation) => {
    const others = adaptations.filter((one) => one !== adaptation);
    expect(await works(own, others), "Delete the adaptation").toBe(false);
  });
});

test("A second deployment adds the intake", async () => {
  await run(`${deployDev} ${intake}`);
});

test("The aws command of version 1 finds the region as README says", async () => {
  await run("export AWS_DEFAULT_REGION=$AWS_REGION");
  await run(`aws() { command aws --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }`); // Its sqs commands ignore the variable.
  expect(await run("aws dynamodb list-tables")).toContain("TableNames");
});

const { describeLetters } = describeRepairs(run, "dev");

test("npm run test:deployed passes on a stack with intake", async () => {
  const texts = Object.keys(skipped);
  const options = texts.map((text) => `--skip "${text}"`);
  const output = await run(`npm run -s test:deployed -- --json checks.json ${options.join(" ")}; cat checks.json`);
  const { testResults } = JSON.parse(output.split("\n").at(-1) ?? "");
  const checks: { title: string; status: string }[] = testResults[0].assertionResults;
  const notRun = checks.filter(({ status }) => status !== "passed").map(({ title }) => title);
  expect(notRun.filter((title) => !texts.some((text) => title.includes(text)))).toEqual([]);
  expect(texts.filter((text) => !notRun.some((title) => title.includes(text)))).toEqual([]);
});

test("README's commands put an email into the bucket and its event into the queue, and the message is stored", async () => {
  const [example = ""] = /^{"type":"message.stored".*/m.exec(section("Messages and events from other programs")) ?? [];
  const event = { ...JSON.parse(example), raw_email: "2026/11/20/letter.eml" };
  const [commands = ""] = blocksOf("Messages and events from other programs");

  await run(`cp infra/local/demo/welcome-html-with-logo.eml letter.eml; echo '${JSON.stringify(event)}' > stored.json`);
  await run(commands.replace("STAGE=prod", "STAGE=dev"));

  const show = `npm run -s admin -- show-message ${event.message.id} --account ${event.account_id} --json`;
  const message = JSON.parse(await run(`until ${show} 2>/dev/null; do sleep 1; done`));
  expect(message).toMatchObject({ subject: "Hello", stored_content: { bytes: expect.any(Number) } });
  expect(message.stored_content.bytes).toBeGreaterThan(1000);
});

test("A deployment without intake=true is rejected, and says how to keep the intake or to let it go", async () => {
  await expect(run(deployDev)).rejects.toThrow(/add --context intake=true.*--context remove=intake$/m);
});

describeSes(run, `${deployDev} ${intake}`);

for (const [text, reason] of Object.entries(skipped)) test.skip(`test:deployed skips "${text}". ${reason}`);

/** README has two lists: what always stays, and what stays without `removeEverything`. */
const [always = [], unlessRemoved = []] = section("Remove it")
  .split(/^Without `removeEverything`/m)
  .map(typesIn);
// A setting of the AWS account, without a name to look for.
const account = new Set(["AWS::ApiGateway::Account"]);

const typesOf = (resources: Deployed[]) => new Set(resources.map(({ type }) => type));

const { expectRestored } = restoreDrill(run);

describeLetters();

test("tableName serves the restored table. cdk destroy leaves the table and what README lists", async () => {
  const settings = `--context stage=copy --context tableName=$RESTORED ${intake}`;
  await run(`npm run deploy -- ${settings}`);
  await run(`DEV_URL=$API_URL API_URL=$(npx node -p "require('./cdk.out/outputs.copy.json')['EmailApi-copy'].ApiUrl")`);
  expect(await run(firstRequest)).toMatch(/^HTTP\/1.1 200 /m);
  await expectRestored();

  const resources = await resourcesOf("EmailApi-copy");
  await unprotect("EmailApi-copy");
  await run(`npx cdk destroy ${settings}; API_URL=$DEV_URL`);
  expect(await run(firstRequest)).toMatch(/^HTTP\/1.1 200 /m);
  const left = typesOf(await existing(resources));
  const listed = new Set([...always, ...unlessRemoved]).difference(account);
  expect(left).toEqual(listed.intersection(typesOf(resources)));
});

test("A deployment with other settings changes the resources that README lists", async () => {
  const settings = {
    logRetentionDays: "7",
    rateLimit: "50",
    keyRateLimit: "600",
    domain: "api.example.com",
    certificate: "arn:aws:acm:eu-west-1:000000000000:certificate/0a1b2c3d",
  };
  const before = await readTemplate("EmailApi-dev");
  const options = Object.entries(settings).map((setting) => `--context ${setting.join("=")}`);
  await run(`${deployDev} ${intake} ${options.join(" ")}`);
  const expected = typesChangedBy(Object.keys(settings));
  expected.delete("AWS::WAFv2::WebACLAssociation"); // An adaptation deletes this resource.
  expect(changedTypes(before, await readTemplate("EmailApi-dev"))).toEqual(expected);
});

test("README's commands destroy the stack, and leave what README lists", async () => {
  const [commands = ""] = blocksOf("Remove it");
  const [deploy = "", destroy = ""] = commands
    .replaceAll("removeEverything=true", `$& ${intake}`)
    .replace(intake, "$& --context remove=domain") // The test before this one has added a domain.
    .split("\n");
  await run(deploy);
  const resources = await resourcesOf("EmailApi-dev");
  await fillBucket(resources.find(({ type }) => type === "AWS::S3::Bucket")?.id ?? "");
  expect(typesOf(await existing(resources))).toEqual(findable);
  await run(destroy);
  expect(typesOf(await existing(resources))).toEqual(new Set(always).difference(account));
});

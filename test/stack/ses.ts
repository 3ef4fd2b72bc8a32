/** README's way from Amazon SES to a message, on a deployed stack. The emulator's SES publishes nothing, so we publish for it. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { idOfExternal } from "../../lib/messages/external-id.ts";
import { sesEvent, sesMessageId, sesReceived } from "../harness/ses.ts";
import { receiptRule } from "./adaptations.ts";
import type { openShell } from "./shell.ts";

type Run = ReturnType<typeof openShell>;

/** @param deploy the command that deploys the stage */
export const describeSes = (run: Run, deploy: string): void => {
  const account = randomUUID();
  const options = `--account ${account} --domain ${randomUUID()} --json`;
  const mail = { sendingAccountId: "000000000000" };

  /** Publishes to the topic of the event destination, and returns the message that appears. */
  const publish = async (body: string, externalId: string) => {
    await run(`TOPIC=$(aws sns list-topics --query 'Topics[?contains(TopicArn, \`Ses\`)].TopicArn' --output text)`);
    await run(`aws sns publish --topic-arn $TOPIC --message '${body}'`);
    const show = `npm run -s admin -- show-message ${idOfExternal(account, externalId)} --account ${account} --json`;
    return JSON.parse(await run(`until ${show} 2>/dev/null; do sleep 1; done`));
  };

  test("MiniStack still rejects receipt rules. Otherwise, delete the adaptation", async () => {
    const template = JSON.stringify({ Resources: { Rule: receiptRule } });
    await expect(run(`aws cloudformation validate-template --template-body '${template}'`)).rejects.toThrow(/receipt/i);
  });

  test("ses and sesReceived add an event destination, and the deployment prints how to activate the rule set", async () => {
    await run("aws ses create-configuration-set --configuration-set Name=receipts");
    await run("aws ses create-receipt-rule-set --rule-set-name inbound");

    const printed = await run(`${deploy} --context ses=receipts --context sesReceived=inbound:shop.example 2>&1`);

    const [activate = ""] = /aws ses set-active-receipt-rule-set .*/.exec(printed) ?? [];
    await run(activate);
    expect(await run("aws ses describe-active-receipt-rule-set")).toContain("inbound");
    await run(`npm run -s admin -- add-sender ses:${mail.sendingAccountId}:receipts ${options}`);
    await run(`npm run -s admin -- add-sender ses-received:shop.example ${options}`);
  });

  test("What SES publishes becomes a message with its status", async () => {
    const delivery = { timestamp: "2096-11-20T12:00:01.000Z", recipients: ["grace@example.org"] };

    const message = await publish(sesEvent("Delivery", { delivery }, mail), `ses:${sesMessageId}:grace@example.org`);

    expect(message).toMatchObject({ subject: "Grüße", status: "delivered" });
  });

  test("A received email becomes a message with its content", async () => {
    await run(`BUCKET=$(npx node -p "require('./cdk.out/outputs.dev.json')['EmailApi-dev'].EmailBucketName")`);
    await run(`echo 'Subject: Question' > question.eml; aws s3 cp question.eml s3://$BUCKET/ses-received/r-1`);

    const message = await publish(sesReceived(), "ses:r-1:help@shop.example");

    expect(message).toMatchObject({ subject: "Question", status: "received", stored_content: {} });
  });

  test("With remove=ses, a deployment removes what the settings have added", async () => {
    await run(`${deploy} --context remove=ses`);

    expect(await run("aws sns list-topics")).not.toContain("Ses");
  });
};

/** What writes: members, stored emails, events from the queue, and an import. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../../infra/stack/bundling.ts";
import { newEmail } from "../email.ts";
import { addAccountMemberEvent, recordEventsEvent } from "../events.ts";
import { cpuOf, exactly, lastByteOf } from "../figure.ts";
import { startFunction } from "../function.ts";
import type { Event } from "../function-process.ts";
import { startServer } from "../local-server.ts";
import { newMessage } from "../message.ts";
import { type Row, row, rowWithin } from "../row.ts";
import { each, inTurns } from "../turns.ts";
import { read, type Size, sizes, times, type Workload } from "./workload.ts";

const newEvents = <E extends Event>(count: number, newEvent: () => E): E[] => Array.from({ length: count }, newEvent);

/** Add Account Member across the network. Each request is a new user with a new key, and is then repeated. */
export const measureMembers = async (workload: Workload): Promise<Row[]> => {
  const { addMember, addMemberFloor, addMemberPeer } = workload.bundles;
  const environment = () => workload.acrossNetwork;
  const turn = () => newEvents(5, () => addAccountMemberEvent(workload.caller));
  const first = await inTurns(
    { ours: addMember, floor: addMemberFloor, peer: addMemberPeer },
    { turn, environment, rounds: 20, warmUpTurns: 24, processes: 2 },
  );
  const name = "Add Account Member with a key";
  return [
    row(`${name}, across the network (ms)`, each(first, lastByteOf), { atMost: 1.1, of: "floor" }),
    row(`${name}, across the network (CPU ms/request)`, each(first, cpuOf), { atMost: 1, of: "peer" }),
  ];
};

/** Storing an email, beside postal-mime with the same calls. */
export const measureStoring = async (workload: Workload): Promise<Row[]> => {
  const { store, storePeer } = workload.bundles;
  const rowOf = async (size: Size, atMost: number, requests: number, rounds: number): Promise<Row> => {
    const reports = await inTurns(
      { ours: store, peer: storePeer },
      {
        turn: () => times(requests, read(workload, size)),
        environment: () => ({ EMAIL_BYTES: String(sizes[size]) }),
        rounds,
        warmUpTurns: requests === 1 ? 1 : 5,
      },
    );
    return row(`Storing an email of ${size} (CPU ms)`, each(reports, cpuOf), { atMost, of: "peer" });
  };
  return [await rowOf("50 KiB", 0.7, 40, 9), await rowOf("25 MiB", 0.5, 1, 3)];
};

/** The variables that RecordEvents needs and no open uses. */
export const eventQueue = { EVENT_QUEUE_URL: "http://127.0.0.1:1/events", EMAIL_BUCKET: "emails" };

/** RecordEvents with an open, beside a bare TransactWriteItems, and its memory for the largest email. */
export const measureEvents = async ({ bundles, caller, ids }: Workload): Promise<Row[]> => {
  const { account_id } = caller;
  const opened = { type: "message.opened", account_id, message: { id: ids["50 KiB"] } };
  const reports = await inTurns(
    { ours: bundles.recordEvents, floor: bundles.recordEventsFloor },
    {
      turn: () => newEvents(5, () => recordEventsEvent(opened)),
      environment: () => eventQueue,
      rounds: 36,
      warmUpTurns: 60,
      processes: 3,
    },
  );
  const raw = newEmail(40_000_000);
  const { port, stop } = await startServer(createServer((_request, response) => response.end(raw)));
  const recording = await startFunction(bundles.recordEvents, {
    ...eventQueue,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
  });
  const { account_id: _, ...message } = newMessage(account_id);
  const stored = { type: "message.stored", account_id, message, raw_email: "1.eml" };
  const { peakMebibytes } = await recording.run({ events: [recordEventsEvent(stored)] });
  await recording.stop();
  stop();
  return [
    row("RecordEvents with an open (CPU ms/event)", each(reports, cpuOf), { atMost: 1.3, of: "floor" }),
    rowWithin("RecordEvents, an email of 40 MB, peak memory (MiB)", { ours: exactly(peakMebibytes) }, 630),
  ];
};

const importedEmails = 10_000;

/** The command, with an mbox. Prints its processor time when it exits. */
export const measureImport = async (_workload: Workload): Promise<Row[]> => {
  const folder = await mkdtemp(join(tmpdir(), "email-api-import-"));
  const file = join(folder, "all.mbox");
  const fields = "From: hello@example.com\nTo: ada@example.org\nSubject: Report\n";
  const text = "All is well with your order.\n".repeat(30);
  const emails = Array.from({ length: importedEmails }, (_, index) => {
    const envelope = "From hello@example.com Fri Nov 20 12:00:00 2026\n";
    return `${envelope}${fields}Message-ID: <report-${index}@example.com>\n\n${text}\n`;
  });
  await writeFile(file, emails.join(""));
  const printCpu = "process.once('exit',()=>console.error('CPU',JSON.stringify(process.cpuUsage())))";
  const id = "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11";
  const command = ["infra/admin/main.ts", "import-message", "--account", id, "--domain", id, file];
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ["--import", `data:text/javascript,${printCpu}`, ...command],
    { cwd: projectRoot, maxBuffer: 64 * 1024 ** 2 },
  );
  await rm(folder, { recursive: true });
  const { user, system } = JSON.parse(/CPU (.*)$/m.exec(stderr)?.[1] ?? "{}");
  return [
    rowWithin(
      "import-message, an email of 1 KB (CPU ms)",
      { ours: exactly((user + system) / 1000 / importedEmails) },
      2.5,
    ),
  ];
};

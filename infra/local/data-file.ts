/** Locks the file of `--data`, so that only one `npm start` at a time uses the file. */
import { chmodSync, existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../cli/user-error.ts";

const busy = 5;

/** The text of the error message for each result code of SQLite (sqlite.org/rescode.html). */
const reasons = new Map<unknown, string>([
  [busy, 'is in use by another "npm start". Stop that one, or name another file'],
  [8, "can't be written"],
  [14, "can't be opened. Check that you may write to it and to its folder"],
  [26, "has another format. Name a new file, or one that npm start has created"],
]);

/** Opens a SQLite file and runs statements. Throws an Error if another process has locked the file. */
const openLocked = (path: string, statements: string): DatabaseSync => {
  const database = new DatabaseSync(path);
  try {
    database.exec(statements);
    chmodSync(path, 0o600); // Emails are private. SQLite gives the files that it creates beside this one the same mode.
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** SQLite stores this number in the file: "EM" in ASCII, followed by the version of our table's layout. */
const applicationId = 0x454d0001;

/** @throws UserError if another program, or a version with another table layout, wrote the file */
const checkLayout = (database: DatabaseSync, file: string): void => {
  const find = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id";
  const { application_id, tables } = database.prepare(find).get() ?? {};
  if (tables !== 0 && application_id !== applicationId) {
    throw new UserError(
      `--data: ${file} was not written by version 1.0.0 or later, which stores messages in another way. ` +
        "Name a new file, and import your emails again",
      2,
    );
  }
  database.exec(`PRAGMA application_id = ${applicationId}`);
};

/** Without a reference to the lock files, garbage collection would close them, which releases the locks. */
const locks: DatabaseSync[] = [];

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Makes sure that no other `npm start`, and no DynamoDB left over from one, uses the data file. If two DynamoDB
 * processes shared one data file, each would find only a part of the stored items. We lock a second file beside the
 * data file; if we locked the data file itself, DynamoDB couldn't open it. The operating system releases the lock when
 * the process ends, even after `kill -9`.
 */
export const lockDataFile = (file: string): void => {
  if (isFolder(file)) throw new UserError(`--data takes a file, but ${file} is a folder`, 2);
  if (!isFolder(dirname(file))) throw new UserError(`--data: the folder ${dirname(file)} does not exist`, 2);
  const lockFile = `${existsSync(file) ? realpathSync(file) : file}-lock`;
  try {
    locks.push(openLocked(lockFile, "PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"));
    // If an earlier `npm start` was killed, its embedded DynamoDB may still have the data file open for a moment. While
    // another process has the data file open, SQLite cannot turn off the write-ahead log and reports an error.
    const endSharing = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA user_version";
    const database = openLocked(file, endSharing);
    try {
      checkLayout(database, file);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode !== busy) rmSync(lockFile, { force: true });
    throw new UserError(`--data: ${file} ${reasons.get(errcode) ?? message}`, errcode === busy ? 1 : 2);
  }
};

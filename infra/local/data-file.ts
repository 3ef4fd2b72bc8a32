/** The file that `--data` names: whether it is one that the engine can have for itself. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../user-error.ts";

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** By SQLite's result code (sqlite.org/rescode.html). */
const complaints = new Map<unknown, string>([
  [5, 'is in use by another "npm start": end that one, or name another file'],
  [8, "can't be written"],
  [14, "can't be opened: does its folder exist?"],
  [26, "holds something else: name a new file, or one that npm start has made"],
]);

/**
 * Checks that no one has the file open, by asking SQLite for all of it for a moment. An engine that runs on it would
 * have it open (its write-ahead log is shared), and two engines on one file would each see half of what is stored.
 *
 * @throws UserError that says what is wrong with the file
 */
export const checkDataFile = (file: string): void => {
  if (isFolder(file)) throw new UserError(`--data takes a file: ${file} is a folder`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA user_version;");
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number };
    throw new UserError(`--data: ${file} ${complaints.get(errcode) ?? `can't be used: ${message}`}`);
  } finally {
    database?.close();
  }
};

/** Reads raw emails from a folder instead of the S3 bucket. An email's key is its path in the folder. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { EventRejectedError } from "../../../lib/intake/event.ts";
import { describe } from "../../user-error.ts";

export type EmailFolder = {
  /** Returns the size in bytes, or 0 if the email cannot be read. */
  size: (key: string) => Promise<number>;
  /** @throws EventRejectedError if the folder has no readable file with this path */
  read: (key: string) => Promise<Buffer>;
};

/** @param folder the folder that `--emails` names. Without `--emails`, `read` throws */
export const emailFolder = (folder: string | undefined): EmailFolder => {
  /** Returns the email's file. Resolves symbolic links first, because a link may lead out of the folder. */
  const fileOf = async (key: string): Promise<string> => {
    if (folder === undefined) throw new EventRejectedError("its raw email requires --emails");
    const file = await realpath(join(folder, key));
    if (!file.startsWith((await realpath(folder)) + sep)) {
      throw new EventRejectedError("its raw email is outside of the folder");
    }
    // Rejects a named pipe, because reading it would block until a program writes to the pipe.
    if (!(await stat(file)).isFile()) throw new EventRejectedError("its raw email is not a file");
    return file;
  };
  const reading = async <T>(key: string, act: (file: string) => Promise<T>): Promise<T> => {
    try {
      return await act(await fileOf(key));
    } catch (error) {
      if (error instanceof EventRejectedError) throw error;
      throw new EventRejectedError(`its raw email can't be read: ${describe(error)}`);
    }
  };
  return {
    size: (key) => reading(key, async (file) => (await stat(file)).size).catch(() => 0),
    read: (key) => reading(key, (file) => readFile(file)),
  };
};

/** Reads emails from a folder instead of the S3 bucket: an event's `raw_email` is a path in that folder. */
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { RejectedError } from "../../../lib/messages/rejected-error.ts";
import { rejectTooLarge } from "../../../lib/messages/write/draft-message.ts";
import { describe } from "../../cli/user-error.ts";

export type EmailFolder = ReturnType<typeof emailFolder>;

export const emailFolder = (folder: string | undefined) => {
  /** Resolves symbolic links first, because a link may lead out of the folder. */
  const find = async (key: string): Promise<{ file: string; bytes: number }> => {
    if (folder === undefined) throw new RejectedError("its raw email requires --emails");
    const file = await realpath(join(folder, key));
    const inFolder = relative(await realpath(folder), file);
    if (inFolder === "" || inFolder.split(sep)[0] === ".." || isAbsolute(inFolder)) {
      throw new RejectedError("its raw email is outside of the folder");
    }
    const found = await stat(file);
    // Reading a named pipe would block until somebody writes to it.
    if (!found.isFile()) throw new RejectedError("its raw email is not a file");
    return { file, bytes: found.size };
  };
  return {
    /** The email's size in bytes, or 0 if the email can't be read. */
    size: async (key: string): Promise<number> => (await find(key).catch(() => null))?.bytes ?? 0,
    /** @throws RejectedError if the email can't be read or is too large */
    read: async (key: string): Promise<Buffer> => {
      try {
        const { file, bytes } = await find(key);
        rejectTooLarge(bytes);
        return await readFile(file);
      } catch (error) {
        if (error instanceof RejectedError) throw error;
        throw new RejectedError(`its raw email can't be read: ${describe(error)}`);
      }
    },
  };
};

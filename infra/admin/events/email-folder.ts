/** A folder of raw emails, in the bucket's place: a key is the path of a file in it. */
import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { EventRejectedError } from "../../../lib/intake/event.ts";

export type EmailFolder = {
  /** In bytes; 0 for what is not there. */
  size: (key: string) => Promise<number>;
  /** @throws EventRejectedError when there is no such file */
  read: (key: string) => Promise<Buffer>;
};

/** @param folder without one, no email can be read */
export const emailFolder = (folder: string | undefined): EmailFolder => {
  const fileOf = (key: string): string => {
    if (folder === undefined) throw new EventRejectedError("--emails names the folder of its raw email");
    const file = join(folder, key);
    const inside = relative(folder, file);
    if (inside.startsWith("..") || isAbsolute(inside)) {
      throw new EventRejectedError("its raw email is outside of the folder");
    }
    return file;
  };
  const found = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof EventRejectedError) throw error;
      throw new EventRejectedError(`its raw email can't be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  return {
    size: (key) => found(async () => (await stat(fileOf(key))).size).catch(() => 0),
    read: (key) => found(() => readFile(fileOf(key))),
  };
};

/** A `FolderReader` over a directory. */
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { WeightsError } from "../../base/errors.ts";
import type { FileReader, FolderReader } from "../../weights/folder.ts";
import { describeFileError, errorCode } from "./file-errors.ts";

/** One read of Node takes less than 2 GiB, and one weights file may well have more. */
const LARGEST_READ = 2 ** 30;

/**
 * Opens the directory at `path`, which is also its name in messages.
 * @throws {WeightsError} If there is no such directory.
 */
export async function openFolder(path: string): Promise<FolderReader> {
  const name = path.length > 1 ? path.replace(/\/+$/, "") : path;
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch (cause) {
    const problem =
      errorCode(cause) === "ENOENT" ? `${name}: no such folder; check the path` : describeFileError(cause, name);
    throw new WeightsError(problem, { cause });
  }
  if (!isFolder) throw new WeightsError(`${name}: is a file, expected a folder; give the folder that holds it`);
  return {
    name,
    read: async (file) => {
      const reader = await openForReading(join(path, file));
      return reader?.read(0, reader.size);
    },
    open: (file) => openForReading(join(path, file)),
  };
}

/** The file is opened anew for each read: no handle is kept, so there is none to close. */
async function openForReading(path: string): Promise<FileReader | undefined> {
  try {
    const { size } = await stat(path);
    return { size, read: (start, end) => readPart(path, start, end) };
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw new WeightsError(describeFileError(cause, path), { cause });
  }
}

async function readPart(path: string, start: number, end: number): Promise<Uint8Array> {
  try {
    await using handle = await open(path);
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.byteLength) {
      const length = Math.min(LARGEST_READ, bytes.byteLength - filled);
      const { bytesRead } = await handle.read(bytes, filled, length, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } catch (cause) {
    throw new WeightsError(describeFileError(cause, path), { cause });
  }
}

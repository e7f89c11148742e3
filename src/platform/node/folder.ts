/** A `FolderReader` over a directory. */
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { WeightsError } from "../../base/errors.ts";
import type { FolderReader } from "../../weights/folder.ts";
import { describeFileError, errorCode } from "./file-errors.ts";

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
  return { name, read: (file) => readWhole(join(path, file)) };
}

async function readWhole(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readInParts(file);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw new WeightsError(describeFileError(cause, file), { cause });
  }
}

/** `readFile` of Node refuses 2 GiB and more, which one weights file may well have. */
async function readInParts(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const bytes = new Uint8Array((await handle.stat()).size);
    let filled = 0;
    while (filled < bytes.byteLength) {
      const length = Math.min(LARGEST_READ, bytes.byteLength - filled);
      const { bytesRead } = await handle.read(bytes, filled, length, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

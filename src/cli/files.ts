/** Files that the user names, read and written with a clear line where that fails. */
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ConfigError, StoreError, TaskError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { describeFileError, errorCode } from "../platform/node/file-errors.ts";
import type { DataFile } from "../rollout/domain.ts";

/**
 * The text of the file at `path`; `what` names it in messages, such as `harness`.
 * @throws {StoreError} If it cannot be read.
 */
export async function readTextFile(path: string, what: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path, what));
}

/**
 * The JSON document in the file at `path`.
 * @throws {StoreError} If it cannot be read.
 * @throws {ConfigError} If it is not JSON.
 */
export async function readJsonDocument(path: string, what: string): Promise<JsonValue> {
  const text = await readTextFile(path, what);
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new ConfigError(`${path}: ${what} is not JSON`, { cause });
  }
}

/**
 * The data file at `path`, read as a stream.
 * @throws {TaskError} If it cannot be opened or is empty; the stream throws one too where reading fails later.
 */
export async function openDataFile(path: string): Promise<DataFile> {
  try {
    const found = await stat(path);
    if (!found.isFile() && !found.isDirectory())
      throw new TaskError(`${path}: expected a file on disk, since it is read more than once; save it as a file first`);
    if (found.size === 0) throw new TaskError(`${path}: data file is empty`);
  } catch (cause) {
    throw cause instanceof TaskError ? cause : dataFileError(cause, path);
  }
  return { name: basename(path), chunks: () => readChunks(path) };
}

const DATA_FILE_STEPS: Readonly<Record<string, string>> = {
  ENOENT: "no such file; check the path of the data file",
  EACCES: "permission denied; give a file that you may read",
  EPERM: "not permitted; give a file that you may read",
};

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: 2 ** 18 });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (cause) {
    throw dataFileError(cause, path);
  }
}

function dataFileError(cause: unknown, path: string): TaskError {
  const step = DATA_FILE_STEPS[errorCode(cause) ?? ""];
  return new TaskError(step === undefined ? describeFileError(cause, path) : `${path}: ${step}`, { cause });
}

/**
 * Writes `text` to `path` as a whole, making its folder.
 * @throws {StoreError} If that fails.
 */
export async function writeTextFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (cause) {
    throw new StoreError(describeFileError(cause, path), { cause });
  }
}

/** A text file being written; it takes its name when it is closed. */
export type OpenTextFile = { readonly write: (text: string) => Promise<void>; readonly close: () => Promise<void> };

/**
 * Opens `path` to be written piece by piece, making its folder.
 * @throws {StoreError} If that fails, now or at a later write.
 */
export async function openTextFile(path: string): Promise<OpenTextFile> {
  const temporary = `${path}.tmp`;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw new StoreError(describeFileError(cause, path), { cause });
    }
  };
  const handle = await guarded(async () => {
    await mkdir(dirname(path), { recursive: true });
    return open(temporary, "w");
  });
  return {
    write: (text) =>
      guarded(async () => {
        await handle.write(text);
      }),
    close: () =>
      guarded(async () => {
        await handle.close();
        await rename(temporary, path);
      }),
  };
}

async function readBytes(path: string, what: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT")
      throw new StoreError(`${path}: no such file; check the path of the ${what}`, { cause });
    throw new StoreError(describeFileError(cause, path), { cause });
  }
}

/** Files that the user names, read and written with a clear line where that fails. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
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
 * The file of real tasks at `path`.
 * @throws {TaskError} If it cannot be read or is empty.
 */
export async function readDataFile(path: string): Promise<DataFile> {
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(path, "data file");
  } catch (cause) {
    throw new TaskError(cause instanceof StoreError ? cause.message : String(cause), { cause });
  }
  if (bytes.length === 0) throw new TaskError(`${path}: data file is empty`);
  return { name: basename(path), bytes };
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

async function readBytes(path: string, what: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT")
      throw new StoreError(`${path}: no such file; check the path of the ${what}`, { cause });
    throw new StoreError(describeFileError(cause, path), { cause });
  }
}

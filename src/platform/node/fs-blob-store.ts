/**
 * A `BlobStore` over a directory. Every write is synced to the disk before its promise settles, so that what a mark names
 * is there even after a power cut; whole files go by way of a temporary file and a rename.
 */
import { mkdir, open, readdir, readFile, rename, rm, truncate, type FileHandle } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { BlobStore } from "../../store/blob-store.ts";
import { errorCode, toStoreError } from "./file-errors.ts";
import { LOCK_FILE } from "./run-lock.ts";

const TEMPORARY_SUFFIX = ".tmp";

/**
 * Returns a store over the directory `root`, which is made at the first write. Its methods throw `StoreError` where the
 * file system refuses, with a line that names the file, and `RangeError` for a path that leaves the directory.
 */
export function createFsBlobStore(root: string): BlobStore {
  return {
    read: (path) => guard(root, path, readIfPresent),
    write: (path, bytes) => guard(root, path, (file) => replaceFile(file, bytes)),
    append: (path, bytes) => guard(root, path, (file) => appendFile(file, bytes)),
    truncate: (path, length) => guard(root, path, (file) => cutFile(file, length)),
    list: (folder) => guard(root, folder, (directory) => listFiles(root, directory)),
    remove: (path) => guard(root, path, (file) => rm(file, { recursive: true, force: true })),
  };
}

async function guard<T>(root: string, path: string, use: (file: string) => Promise<T>): Promise<T> {
  const parts = path.split("/");
  if (path.includes("\\") || path.startsWith("/") || parts.includes("..") || path.endsWith(TEMPORARY_SUFFIX))
    throw new RangeError(`blob store: expected a path within the folder, got ${path}`);
  const file = join(root, ...parts);
  try {
    return await use(file);
  } catch (error) {
    throw toStoreError(error, file);
  }
}

async function readIfPresent(file: string): Promise<Uint8Array | undefined> {
  try {
    // Plain bytes: a Buffer's slice would share memory where others copy.
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}${TEMPORARY_SUFFIX}`;
  try {
    await withFile(temporary, "w", async (handle) => {
      await handle.writeFile(bytes);
      await handle.sync();
    });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

async function appendFile(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await withFile(file, "a", async (handle) => {
    await handle.writeFile(bytes);
    await handle.sync();
  });
}

async function cutFile(file: string, length: number): Promise<void> {
  await truncate(file, length);
  await withFile(file, "r+", (handle) => handle.sync());
}

async function withFile(file: string, flags: string, use: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(file, flags);
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}

/** A rename is durable once its folder is synced; some systems cannot open a folder, and have no need to. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await withFile(folder, "r", (handle) => handle.sync());
  } catch (error) {
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL"].includes(errorCode(error) ?? "")) throw error;
  }
}

async function listFiles(root: string, directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter(({ name }) => !name.endsWith(TEMPORARY_SUFFIX) && name !== LOCK_FILE)
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

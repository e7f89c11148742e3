/**
 * A `BlobStore` over a folder of the origin-private file system, for a dedicated worker (https://fs.spec.whatwg.org).
 *
 * Whole files are replaced by `createWritable`, whose content takes the file's place only when it is closed; appends go
 * through a synchronous access handle and are flushed. A read that meets a replacement fails as if the file were gone, and
 * is made again. A new file is there, empty, before its first content, and a tab closed in between leaves it so: a file
 * that holds nothing counts as none. A browser may evict everything at any moment: a file that this store has seen and that
 * is gone or shorter is an error, never a new file that holds only its end.
 */
import type { BlobStore } from "../../store/blob-store.ts";
import { EvictedError, toStoreError } from "./storage-errors.ts";

/** Replacements that a read may meet one after another; far more than any writer makes in that time. */
const MOST_READS = 20;
/** Chromium keeps what `createWritable` has not closed under such names. */
const SWAP_SUFFIX = ".crswap";

/**
 * Returns a store over the folder `root`, such as `runs/3f2a`, which is made at the first write. Its methods throw
 * `StoreError` where the browser refuses, and `RangeError` for a path that leaves the folder.
 */
export function createOpfsBlobStore(root: string): BlobStore {
  const store = new OpfsFolder(root.split("/").filter((part) => part !== ""));
  return {
    read: (path) => store.guard(path, () => store.read(path)),
    write: (path, bytes) => store.guard(path, () => store.write(path, bytes)),
    append: (path, bytes) => store.guard(path, () => store.append(path, bytes)),
    truncate: (path, length) => store.guard(path, () => store.truncate(path, length)),
    list: (folder) => store.guard(folder, () => store.list(folder)),
    remove: (path) => store.guard(path, () => store.remove(path)),
  };
}

/** Names of the folders in the folder `path` of the origin-private file system, sorted. */
export async function listOpfsFolders(path: string): Promise<string[]> {
  try {
    const folder = await openDirectory(path.split("/"), false);
    const names: string[] = [];
    if (folder) for await (const [name, handle] of folder.entries()) if (handle.kind === "directory") names.push(name);
    return names.sort();
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** Size in bytes of all files under the folder `path`. */
export async function sizeOfOpfsFolder(path: string): Promise<number> {
  const folder = await openDirectory(path.split("/"), false);
  let bytes = 0;
  if (folder) for await (const { size } of walk(folder, "")) bytes += size;
  return bytes;
}

class OpfsFolder {
  readonly #root: readonly string[];
  /** Length of each file that was appended to, as far as this store knows. */
  readonly #lengths = new Map<string, number>();

  constructor(root: readonly string[]) {
    this.#root = root;
  }

  async guard<T>(path: string, use: () => Promise<T>): Promise<T> {
    const parts = path.split("/");
    if (path.includes("\\") || path.startsWith("/") || parts.includes("..") || path.endsWith(SWAP_SUFFIX))
      throw new RangeError(`blob store: expected a path within the folder, got ${path}`);
    try {
      return await use();
    } catch (error) {
      throw toStoreError(error, [...this.#root, path].join("/"));
    }
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const content = await whileReplaced(async () => {
      const handle = await this.#file(path, false);
      return handle && (await (await handle.getFile()).arrayBuffer());
    });
    return content && content.byteLength > 0 ? new Uint8Array(content) : undefined;
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const handle = await this.#file(path, true);
    const writable = await handle.createWritable();
    try {
      await writable.write(new Uint8Array(bytes));
      await writable.close();
    } catch (error) {
      await writable.abort().catch(() => undefined);
      throw error;
    }
    this.#lengths.delete(path);
  }

  async append(path: string, bytes: Uint8Array): Promise<void> {
    const handle = await this.#file(path, true);
    const access = await handle.createSyncAccessHandle();
    try {
      const length = access.getSize();
      if (length < (this.#lengths.get(path) ?? 0)) throw new EvictedError("the file became shorter");
      writeAll(access, bytes, length);
      access.flush();
      this.#lengths.set(path, length + bytes.byteLength);
    } finally {
      access.close();
    }
  }

  async truncate(path: string, length: number): Promise<void> {
    const handle = await this.#file(path, false);
    if (!handle) throw new EvictedError("the file is missing");
    const access = await handle.createSyncAccessHandle();
    try {
      access.truncate(length);
      access.flush();
      this.#lengths.set(path, length);
    } finally {
      access.close();
    }
  }

  async list(path: string): Promise<readonly string[]> {
    const parts = path.split("/").filter((part) => part !== "");
    const folder = await openDirectory([...this.#root, ...parts], false);
    const found: string[] = [];
    const prefix = parts.map((part) => `${part}/`).join("");
    if (folder) for await (const { path: file, size } of walk(folder, prefix)) if (size > 0) found.push(file);
    return found.sort();
  }

  async remove(path: string): Promise<void> {
    const parts = path.split("/").filter((part) => part !== "");
    const name = parts.pop() ?? this.#root.at(-1);
    const above = parts.length === 0 && path === "" ? this.#root.slice(0, -1) : [...this.#root, ...parts];
    const folder = await openDirectory(above, false);
    if (!folder || name === undefined) return;
    try {
      await folder.removeEntry(name, { recursive: true });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    for (const known of this.#lengths.keys())
      if (path === "" || known === path || known.startsWith(`${path}/`)) this.#lengths.delete(known);
  }

  #file(path: string, create: true): Promise<FileSystemFileHandle>;
  #file(path: string, create: false): Promise<FileSystemFileHandle | undefined>;
  async #file(path: string, create: boolean): Promise<FileSystemFileHandle | undefined> {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    const folder = await openDirectory([...this.#root, ...parts], create);
    try {
      return await folder?.getFileHandle(name, { create });
    } catch (error) {
      if (!create && isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** A write may take less than it is given. */
function writeAll(access: FileSystemSyncAccessHandle, bytes: Uint8Array, at: number): void {
  let written = 0;
  while (written < bytes.byteLength) {
    const taken = access.write(new Uint8Array(bytes.subarray(written)), { at: at + written });
    if (taken === 0) throw new DOMException("nothing could be written", "QuotaExceededError");
    written += taken;
  }
}

async function openDirectory(
  parts: readonly string[],
  create: boolean,
): Promise<FileSystemDirectoryHandle | undefined> {
  let folder = await navigator.storage.getDirectory();
  try {
    for (const part of parts) folder = await folder.getDirectoryHandle(part, { create });
    return folder;
  } catch (error) {
    if (!create && isMissing(error)) return undefined;
    throw error;
  }
}

type FoundFile = { readonly path: string; readonly size: number };

async function* walk(folder: FileSystemDirectoryHandle, prefix: string): AsyncGenerator<FoundFile> {
  for await (const [name, handle] of folder.entries()) {
    if (isFolder(handle)) yield* walk(handle, `${prefix}${name}/`);
    else if (isFile(handle) && !name.endsWith(SWAP_SUFFIX)) yield { path: prefix + name, size: await sizeOf(handle) };
  }
}

/** Size in bytes of a file; 0 where there is none any more. */
async function sizeOf(handle: FileSystemFileHandle): Promise<number> {
  try {
    return (await handle.getFile()).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** What `read` gives, made again when it fails because the file was replaced meanwhile. */
async function whileReplaced<T>(read: () => Promise<T>): Promise<T> {
  for (let reads = 1; ; reads += 1) {
    try {
      return await read();
    } catch (error) {
      const isReplaced = isMissing(error) || (error instanceof DOMException && error.name === "NotReadableError");
      if (!isReplaced || reads === MOST_READS) throw error;
    }
  }
}

function isFolder(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === "directory";
}

function isFile(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === "file";
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && (error.name === "NotFoundError" || error.name === "TypeMismatchError");
}

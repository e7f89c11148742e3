/**
 * One process at a time may write a run: a file in its folder names the process that does.
 *
 * A killed process leaves its file behind, so a lock is taken over when its process is gone: no process has the number,
 * or (where /proc tells) the one that has it was started at another time. Of a lock made on another host nothing can be
 * known; then the line says which file to remove.
 */
import { rmSync } from "node:fs";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { StoreError } from "../../base/errors.ts";
import { errorCode, toStoreError } from "./file-errors.ts";

/** Name of the lock in a run folder; it is no file of the run. */
export const LOCK_FILE = "run.lock";

/** What the file says. */
type Owner = {
  readonly pid: number;
  readonly host: string;
  /** When the process was started, in clock ticks since boot; empty where the system does not say. */
  readonly started: string;
  /** When the lock was taken. */
  readonly since: string;
};

/**
 * Does `work` while it holds the lock of the run in `folder`, which is made where it is missing. The lock is released
 * afterwards, and at the latest when this process ends.
 * @throws {StoreError} If another process, or this one, holds it.
 */
export async function withRunLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = join(folder, LOCK_FILE);
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    started: await readStart(process.pid),
    since: new Date().toISOString(),
  };
  const text = `${JSON.stringify(owner)}\n`;
  try {
    await mkdir(folder, { recursive: true });
    while (!(await createWhole(file, text))) await removeStale(file, folder);
  } catch (error) {
    throw error instanceof StoreError ? error : toStoreError(error, file);
  }
  const release = (): void => {
    rmSync(file, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}

/** Makes the file with all of its content at once; false where there is one. */
async function createWhole(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${String(process.pid)}.tmp`;
  await writeFile(draft, text);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes the lock if its process is gone. */
async function removeStale(file: string, folder: string): Promise<void> {
  const text = await readIfPresent(file);
  if (text === undefined) return;
  const owner = parseOwner(text);
  if (owner !== undefined && (await isAlive(owner))) {
    const elsewhere = owner.host === hostname() ? "" : ` on ${owner.host} (if it is gone, remove ${file})`;
    throw new StoreError(
      `${folder}: process ${String(owner.pid)}${elsewhere} has been writing this run since ${owner.since}; ` +
        "wait for it, or end it and resume",
    );
  }
  // Renamed first, so that of two processes that find it stale only one removes it.
  const aside = `${file}.${String(process.pid)}.stale.tmp`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  const moved = await readIfPresent(aside);
  // Someone took over in between: it was a fresh lock that moved, and it goes back.
  if (moved !== text && moved !== undefined) await createWhole(file, moved);
  await rm(aside, { force: true });
}

async function isAlive(owner: Owner): Promise<boolean> {
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // Not permitted to signal it: it is there, and someone else's.
    if (errorCode(error) !== "EPERM") return false;
  }
  const started = await readStart(owner.pid);
  return started === owner.started || started === "" || owner.started === "";
}

/** Field 22 of /proc/PID/stat; the name in field 2 may hold spaces and brackets, so counting starts behind it. */
async function readStart(pid: number): Promise<string> {
  const stat = await readIfPresent(`/proc/${String(pid)}/stat`);
  return stat === undefined ? "" : (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "");
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "pid" in value && "host" in value
      ? (value as Owner)
      : undefined;
  } catch {
    // A lock is made whole, so a damaged one says nothing about any process.
    return undefined;
  }
}

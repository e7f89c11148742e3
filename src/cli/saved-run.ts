/** Runs that lie in directories, as the core reads them. */
import { createFsBlobStore } from "../platform/node/fs-blob-store.ts";
import { readRunRecord } from "../report/read-run.ts";
import type { RunRecord } from "../report/run-record.ts";
import { readRun, type RunView } from "../store/run-view.ts";

/**
 * Reads the run in the directory `folder`.
 * @throws {StoreError} If there is no run, or a file is damaged.
 */
export function readRunFolder(folder: string): Promise<RunRecord> {
  return readRunRecord(createFsBlobStore(folder), folder);
}

/**
 * The files of the run in the directory `folder`.
 * @throws {StoreError} If there is no run, or a file is damaged.
 */
export function openRunView(folder: string): Promise<RunView> {
  return readRun(createFsBlobStore(folder), folder);
}

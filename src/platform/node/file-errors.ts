/** Turns the file errors of Node into one clear line that names the file and the next step. */
import { describeError, StoreError } from "../../base/errors.ts";

const NEXT_STEP: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, then resume the run",
  EDQUOT: "the disk quota is used up; free some space, then resume the run",
  EACCES: "permission denied; give a folder that you may read and write",
  EPERM: "not permitted; give a folder that you may read and write",
  EROFS: "the file system is read-only; give a folder that you may write",
  ENOTDIR: "a part of the path is a file, not a folder; give another path",
  EISDIR: "is a folder, expected a file; give another path",
  EEXIST: "a file is in the way; give another path",
  ENAMETOOLONG: "the path is too long; give a shorter one",
  EMFILE: "too many open files; raise the limit with ulimit -n",
  EIO: "the disk reported a read or write error; check the disk",
};

/** The code of a Node error, such as `ENOENT`, or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The line for `error`, met while using the file or folder at `path`. */
export function describeFileError(error: unknown, path: string): string {
  const known = NEXT_STEP[errorCode(error) ?? ""];
  return `${path}: ${known ?? describeError(error)}`;
}

/** A `StoreError` for `error`, met while using the file or folder at `path`. */
export function toStoreError(error: unknown, path: string): StoreError {
  return new StoreError(describeFileError(error, path), { cause: error });
}

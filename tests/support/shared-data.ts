/** Where the real data lie that some tests read. */
import { existsSync } from "node:fs";

/** The path of a file or folder of the shared data, relative to the repository root, where tests run. */
export function sharedData(path: string): string {
  return `../shared/data/${path}`;
}

/** Whether the data are there; a test that needs them is skipped where they are not. */
export function hasSharedData(path: string): boolean {
  return existsSync(sharedData(path));
}

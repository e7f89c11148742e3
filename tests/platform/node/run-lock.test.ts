import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFsBlobStore } from "../../../src/platform/node/fs-blob-store.ts";
import { LOCK_FILE, withRunLock } from "../../../src/platform/node/run-lock.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "spyhop-lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, LOCK_FILE);
const leave = (owner: object): void => {
  writeFileSync(file(), JSON.stringify({ host: hostname(), started: "", since: "earlier", ...owner }));
};

const owner = (): Promise<string> => Promise.resolve(readFileSync(file(), "utf8"));

describe("withRunLock", () => {
  it("refuses a second writer and says who the first is", async () => {
    await withRunLock(folder, async () => {
      await expect(withRunLock(folder, owner)).rejects.toThrow(
        new RegExp(`process ${String(process.pid)} has been writing this run since \\d{4}-`),
      );
      expect(await owner()).toContain(String(process.pid));
    });
  });

  it("is free again when the first is done or has failed, in a folder that looks empty meanwhile", async () => {
    const inside = join(folder, "new");
    expect(await withRunLock(inside, () => createFsBlobStore(inside).list(""))).toEqual([]);
    await expect(withRunLock(inside, () => Promise.reject(new RangeError("failed")))).rejects.toThrow("failed");
    expect(existsSync(join(inside, LOCK_FILE))).toBe(false);
    expect(await withRunLock(inside, () => Promise.resolve("again"))).toBe("again");
  });

  it("takes over the lock of a process that is gone, and one that is damaged", async () => {
    leave({ pid: spawnSync(process.execPath, ["--version"]).pid });
    expect(await withRunLock(folder, owner)).toContain(String(process.pid));
    writeFileSync(file(), '{"pid": 1');
    expect(await withRunLock(folder, owner)).toContain(String(process.pid));
  });

  it.runIf(existsSync("/proc/self/stat"))("takes over when another process has got the number since", async () => {
    leave({ pid: process.pid, started: "1" });
    expect(await withRunLock(folder, owner)).not.toContain('"started":"1"');
  });

  it("leaves the lock of another host and names the file", async () => {
    leave({ pid: 1, host: "elsewhere.invalid" });
    await expect(withRunLock(folder, owner)).rejects.toThrow(
      /on elsewhere\.invalid \(if it is gone, remove .*run\.lock\)/,
    );
  });
});

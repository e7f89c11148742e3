import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreError } from "../../../src/base/errors.ts";
import { toStoreError } from "../../../src/platform/node/file-errors.ts";
import { createFsBlobStore } from "../../../src/platform/node/fs-blob-store.ts";
import { createRun, openRun } from "../../../src/store/run-store.ts";
import { testBlobStore } from "../../support/blob-store-contract.ts";
import { continueToyRun } from "../../support/toy-run.ts";

let parent = "";
let folders = 0;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "spyhop-store-"));
});

afterAll(async () => {
  await rm(parent, { recursive: true, force: true });
});

function newRoot(): string {
  folders += 1;
  return join(parent, String(folders), "run");
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("createFsBlobStore", () => {
  testBlobStore(() => createFsBlobStore(newRoot()));

  test("write leaves no temporary file, and list hides one that a kill left", async () => {
    const root = newRoot();
    const store = createFsBlobStore(root);
    await store.write("a.json", bytes("{}"));
    expect(await readdir(root)).toEqual(["a.json"]);
    await writeFile(join(root, "b.json.tmp"), "{");
    expect(await store.list("")).toEqual(["a.json"]);
    await store.write("b.json", bytes("{}"));
    expect(await readdir(root)).toEqual(["a.json", "b.json"]);
  });

  test.each(["../x", "a/../../x", "/etc/x", "a\\..\\x", "x.tmp"])(
    "write throws RangeError when the path leaves the folder: %s",
    async (path) => {
      await expect(createFsBlobStore(newRoot()).write(path, bytes("."))).rejects.toThrow(RangeError);
    },
  );

  test("write throws StoreError with one clear line when a file is in the way", async () => {
    const root = newRoot();
    const store = createFsBlobStore(root);
    await store.write("a", bytes("."));
    const writing = store.write("a/b", bytes("."));
    await expect(writing).rejects.toThrow(StoreError);
    await expect(writing).rejects.toThrow(
      /\/run\/a\/b: a (part of the path is a file|file is in the way).*; give another/,
    );
  });

  test("write throws StoreError and keeps the old file when a folder may not be written", async (context) => {
    const root = newRoot();
    const store = createFsBlobStore(root);
    await store.write("a", bytes("old"));
    await chmod(root, 0o500);
    try {
      await store.write("b", bytes("."));
      context.skip("this user may write everywhere");
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      expect((error as StoreError).message).toMatch(/permission denied; give a folder/);
    } finally {
      await chmod(root, 0o700);
    }
    expect(new TextDecoder().decode(await store.read("a"))).toBe("old");
  });

  test("toStoreError says what to do when the disk is full", () => {
    const full = Object.assign(new RangeError("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    expect(toStoreError(full, "runs/a/events.jsonl").message).toBe(
      "runs/a/events.jsonl: the disk is full; free some space, then resume the run",
    );
  });

  test("append throws StoreError when the device is full", async (context) => {
    if (!existsSync("/dev/full")) context.skip("needs /dev/full");
    const appending = createFsBlobStore("/dev").append("full", bytes("x"));
    await expect(appending).rejects.toThrow(StoreError);
    await expect(appending).rejects.toThrow("/dev/full: the disk is full; free some space, then resume the run");
  });

  test("a run gives the same ledger when it is written to a directory twice, once with a pause", async () => {
    const [one, two] = [createFsBlobStore(newRoot()), createFsBlobStore(newRoot())];
    await continueToyRun(await createRun(one, { name: "one", config: {} }), 4);
    const run = await createRun(two, { name: "two", config: {} });
    run.emit({ step: "torn" });
    await run.flush();
    await continueToyRun(await openRun(two, "two"), 4);
    expect(await two.read("events.jsonl")).toEqual(await one.read("events.jsonl"));
    expect(await two.list("")).toEqual(await one.list(""));
  });

  test("createRun throws StoreError when --out is a file", async () => {
    const root = newRoot();
    await mkdir(join(root, ".."), { recursive: true });
    await writeFile(root, "");
    await expect(createRun(createFsBlobStore(root), { name: root, config: {} })).rejects.toThrow(
      /is a file, not a folder/,
    );
  });
});

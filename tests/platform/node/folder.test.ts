import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WeightsError } from "../../../src/base/errors.ts";
import { openFolder } from "../../../src/platform/node/folder.ts";
import { openCheckpoint } from "../../../src/weights/checkpoint.ts";

let root = "";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "spyhop-folder-"));
  await writeFile(join(root, "f.txt"), "abc");
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("openFolder", () => {
  test("read gives the bytes of a file, and undefined when there is none", async () => {
    const folder = await openFolder(`${root}/`);
    expect(folder.name).toBe(root);
    expect(await folder.read("f.txt")).toEqual(new TextEncoder().encode("abc"));
    expect(await folder.read("g.txt")).toBeUndefined();
  });

  test("openFolder names the path when it is missing or a file", async () => {
    const missing = openFolder(join(root, "nothing"));
    await expect(missing).rejects.toThrow(WeightsError);
    await expect(missing).rejects.toThrow(/nothing: no such folder; check the path/);
    await expect(openFolder(join(root, "f.txt"))).rejects.toThrow(/f.txt: is a file, expected a folder/);
  });

  test("openCheckpoint names the file when the folder is no checkpoint", async () => {
    await expect(openCheckpoint(await openFolder(root))).rejects.toThrow(`${root}: no config.json`);
  });
});

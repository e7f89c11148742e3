import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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

  test("open reads a file in parts, and gives undefined when there is none", async () => {
    const folder = await openFolder(root);
    const file = await folder.open!("f.txt");
    expect(file!.size).toBe(3);
    expect(await file!.read(1, 3)).toEqual(new TextEncoder().encode("bc"));
    expect(await file!.read(2, 9)).toEqual(new TextEncoder().encode("c"));
    expect(await folder.open!("g.txt")).toBeUndefined();
  });

  test("read throws WeightsError when the path is a folder", async () => {
    await expect((await openFolder(join(root, ".."))).read(basename(root))).rejects.toThrow(WeightsError);
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

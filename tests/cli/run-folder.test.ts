import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreError } from "../../src/base/errors.ts";
import { chooseRunFolder } from "../../src/cli/run-folder.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";

const CONFIG = resolveConfig("toy", { domain: "math-reasoning", condition: "whale", model: "tiny", seed: 3 });
const NAME = "math-reasoning-whale-toy-seed3";
let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "spyhop-folder-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function occupy(folder: string, file = "config.json"): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), "{}");
}

test("chooseRunFolder names the folder after the run, and takes the next free one", async () => {
  expect(await chooseRunFolder(CONFIG, undefined, root)).toBe(`${root}/${NAME}`);
  await occupy(join(root, NAME));
  await occupy(join(root, `${NAME}-2`));
  expect(await chooseRunFolder(CONFIG, undefined, root)).toBe(`${root}/${NAME}-3`);
});

test("chooseRunFolder takes --out when it is absent or empty", async () => {
  expect(await chooseRunFolder(CONFIG, join(root, "new"))).toBe(join(root, "new"));
  expect(await chooseRunFolder(CONFIG, root)).toBe(root);
});

test("chooseRunFolder refuses an --out that holds a run or anything else, and says what", async () => {
  await occupy(join(root, "run"));
  await occupy(join(root, "other"), "notes.txt");
  const attempt = chooseRunFolder(CONFIG, join(root, "run"));
  await expect(attempt).rejects.toThrow(StoreError);
  await expect(attempt).rejects.toThrow("holds another run");
  await expect(chooseRunFolder(CONFIG, join(root, "other"))).rejects.toThrow("it holds notes.txt");
});

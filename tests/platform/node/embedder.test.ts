import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEmbedder } from "../../../src/platform/node/embedder.ts";

test("openEmbedder says what to do when the folder does not exist", async () => {
  await expect(openEmbedder("./no/such/model")).rejects.toThrow(
    /^tasks\.embedder: no such folder \.\/no\/such\/model; give the folder or the Hugging Face name/,
  );
});

test("openEmbedder says what to do when the folder holds no model, without asking the network", async () => {
  const folder = mkdtempSync(join(tmpdir(), "embedder-"));
  await expect(openEmbedder(folder)).rejects.toThrow(/^tasks\.embedder: .* has no config\.json; give the folder/);
});

test("openEmbedder says that a file is no folder", async () => {
  await expect(openEmbedder("./package.json")).rejects.toThrow(/^tasks\.embedder: \.\/package\.json is a file; give/);
});

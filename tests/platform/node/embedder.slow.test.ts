/** The embedder and the dense search of search-qa over a real, tiny ONNX model in a folder of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { isJsonObject } from "../../../src/base/json.ts";
import { loadTasks, requestOf } from "../../../src/cli/execute.ts";
import { findDomain } from "../../../src/cli/registry.ts";
import { resolveConfig } from "../../../src/experiment/presets.ts";
import { openEmbedder } from "../../../src/platform/node/embedder.ts";
import type { Task } from "../../../src/rollout/domain.ts";
import type { Passage } from "../../../domains/search-qa/passage.ts";
import { generateTasks } from "../../../domains/search-qa/toy/tasks.ts";
import { createDirectSandbox } from "../../support/direct-sandbox.ts";
import { expectedVector, writeEmbeddingModel } from "../../support/embedding-model.ts";
import { fakeTerminal } from "../../support/fake-terminal.ts";

let root = "";
const folder = (name: string): string => join(root, name);
const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("the network was asked"));

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "spyhop-embedder-"));
  await writeEmbeddingModel(folder("plain"));
});
afterEach(() => {
  expect(fetched).not.toHaveBeenCalled();
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const TEXTS = ["Oslo", "The capital of Norway is Oslo, and its area is 454 km2.", "Which element has the symbol Sn?"];

/** Largest difference between a vector and the one that the model's formula gives. */
function errorOf(vector: Float32Array | undefined, text: string, pooling: "mean" | "cls" | "last" = "mean"): number {
  return Math.max(...expectedVector(text, pooling).map((value, i) => Math.abs(value - (vector?.[i] ?? Infinity))));
}

describe("openEmbedder", () => {
  test("gives unit vectors that are means over the tokens of each text, whatever stands beside it", async () => {
    const embed = await openEmbedder(folder("plain"));
    const together = await embed(TEXTS, "passage");
    const alone = await Promise.all(TEXTS.map((text) => embed([text], "query")));
    for (const [i, text] of TEXTS.entries()) {
      expect(errorOf(together[i], text)).toBeLessThan(1e-6);
      expect(errorOf(alone[i]?.[0], text)).toBeLessThan(1e-6);
    }
  });

  test("puts the role in front of texts for a model that is named as E5", async () => {
    await writeEmbeddingModel(folder("tiny-e5"));
    const embed = await openEmbedder(folder("tiny-e5"));
    const [[query], [passage]] = [await embed(["Oslo"], "query"), await embed(["Oslo"], "passage")];
    expect(errorOf(query, "query: Oslo")).toBeLessThan(1e-6);
    expect(errorOf(passage, "passage: Oslo")).toBeLessThan(1e-6);
  });

  test.each([
    ["cls", "pooling_mode_cls_token"],
    ["last", "pooling_mode_lasttoken"],
  ] as const)(
    "takes the vector of the %s token where the folder says so, whatever stands beside a text",
    async (...how) => {
      const [pooling, mode] = how;
      await writeEmbeddingModel(folder(pooling));
      mkdirSync(join(folder(pooling), "1_Pooling"));
      writeFileSync(join(folder(pooling), "1_Pooling", "config.json"), JSON.stringify({ [mode]: true }));
      const prompts = { prompts: { query: "Find: ", document: "" } };
      writeFileSync(join(folder(pooling), "config_sentence_transformers.json"), JSON.stringify(prompts));
      const embed = await openEmbedder(folder(pooling));
      const vectors = await embed(TEXTS, "passage");
      for (const [i, text] of TEXTS.entries()) expect(errorOf(vectors[i], text, pooling)).toBeLessThan(1e-6);
      const [query] = await embed(["Oslo"], "query");
      expect(errorOf(query, "Find: Oslo", pooling)).toBeLessThan(1e-6);
      const asked = await openEmbedder(folder(pooling), { pooling: "mean", queryPrefix: "none" });
      expect(errorOf((await asked(["Oslo"], "query"))[0], "Oslo")).toBeLessThan(1e-6);
    },
  );

  test.each(["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"])(
    "names %s where a folder lacks it",
    async (file) => {
      const lacking = folder(`without-${file.replace("/", "-")}`);
      await writeEmbeddingModel(lacking);
      rmSync(join(lacking, file));
      await expect(openEmbedder(lacking)).rejects.toThrow(`tasks.embedder: ${lacking} has no ${file}; give the folder`);
    },
  );

  test("asks the network for a name on the hub alone, and says what came of it", async () => {
    await expect(openEmbedder("nobody/no-model")).rejects.toThrow(
      /^tasks\.embedder: cannot open nobody\/no-model, [^\n]*the network was asked; give the folder/,
    );
    expect(fetched).toHaveBeenCalled();
    fetched.mockClear();
  });

  test("refuses a model that gives logits", async () => {
    await writeEmbeddingModel(folder("logits"), "logits");
    await expect(openEmbedder(folder("logits"))).rejects.toThrow(
      /^tasks\.embedder: \S+logits is no embedding model, it gives logits and not last_hidden_state or [^\n]*$/,
    );
  });

  test("refuses a model file that is none", async () => {
    await writeEmbeddingModel(folder("broken"));
    writeFileSync(join(folder("broken"), "onnx", "model.onnx"), "no model");
    await expect(openEmbedder(folder("broken"))).rejects.toThrow(/^tasks\.embedder: cannot open \S+broken, [^\n]*$/);
  });
});

describe("search-qa with tasks.embedder", () => {
  const config = resolveConfig(
    "smoke",
    { domain: "search-qa", condition: "whale", model: "tiny", seed: 3 },
    { "tasks.weight": 2, "tasks.harness": 2, "tasks.validation": 2, "tasks.test": 4 },
  );

  test("ranks passages by the cosine of their vectors to that of the query", async () => {
    const request = { ...requestOf(config), embedder: folder("plain") };
    const { domain, tasks } = await loadTasks(findDomain("search-qa"), request, fakeTerminal());
    const { corpora } = generateTasks({ seed: request.seed, sizes: request.sizes });
    for (const task of tasks.test) {
      const search = domain.open(task, { sandbox: createDirectSandbox(), seed: "3" }).tools["search"];
      const query = task.view["question"] as string;
      const found = (await search?.([query, { ranking: "dense", topK: 20 }])) as unknown as Passage[];
      expect(found.map(({ title }) => title)).toEqual(rankByCosine(query, corpusOf(task, corpora)).slice(0, 20));
      const fused = (await search?.([query, { topK: 5 }])) as unknown as Passage[];
      expect(fused).toHaveLength(5);
    }
  });

  test("ends with one line where the folder does not exist", async () => {
    const request = { ...requestOf(config), embedder: folder("absent") };
    await expect(loadTasks(findDomain("search-qa"), request, fakeTerminal())).rejects.toThrow(
      `tasks.embedder: no such folder ${folder("absent")}; give the folder or the Hugging Face name`,
    );
  });
});

function corpusOf(task: Task, corpora: ReadonlyMap<string, readonly Passage[]>): readonly Passage[] {
  const { gold } = task;
  const passages = isJsonObject(gold) ? corpora.get(gold["corpus"] as string) : undefined;
  if (passages === undefined) expect.unreachable(`no corpus of ${task.id}`);
  return passages;
}

/** Titles of `passages`, nearest first. */
function rankByCosine(query: string, passages: readonly Passage[]): string[] {
  const wanted = expectedVector(query);
  return passages
    .map(({ title, text }) => ({ title, vector: expectedVector(`${title}\n${text}`) }))
    .map(({ title, vector }) => ({
      title,
      cosine: vector.reduce((sum, value, i) => sum + value * (wanted[i] ?? 0), 0),
    }))
    .sort((a, b) => b.cosine - a.cosine)
    .map(({ title }) => title);
}

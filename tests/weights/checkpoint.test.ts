import { describe, expect, test } from "vitest";
import { WeightsError } from "../../src/base/errors.ts";
import { openFolder } from "../../src/platform/node/folder.ts";
import { openCheckpoint } from "../../src/weights/checkpoint.ts";
import type { FileReader, FolderReader } from "../../src/weights/folder.ts";
import { formatSafetensors, parseSafetensors } from "../../src/weights/safetensors.ts";
import { hasSharedData, sharedData } from "../support/shared-data.ts";

type Expected = {
  readonly cases: readonly {
    readonly input_ids: readonly number[];
    readonly hidden_last_token_first8: readonly (readonly number[])[];
  }[];
};

type Files = Record<string, Uint8Array | string>;

function folderOf(files: Files): FolderReader & { readonly reads: string[] } {
  const reads: string[] = [];
  return {
    name: "m",
    reads,
    read: (path) => {
      reads.push(path);
      const file = files[path];
      return Promise.resolve(typeof file === "string" ? new TextEncoder().encode(file) : file);
    },
  };
}

const a = { shape: [2], data: Float32Array.of(1, 2) };
const b = { shape: [1, 1], data: Float32Array.of(3) };
const sharded: Files = {
  "config.json": `{"model_type":"qwen3"}`,
  "model.safetensors.index.json": JSON.stringify({
    metadata: {},
    weight_map: { b: "2.safetensors", a: "1.safetensors" },
  }),
  "1.safetensors": formatSafetensors({ a }),
  "2.safetensors": formatSafetensors({ b }),
};

function without(files: Files, path: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name !== path));
}

describe("openCheckpoint", () => {
  test("openCheckpoint reads tensors when the weights are in one file", async () => {
    const checkpoint = await openCheckpoint(
      folderOf({ "config.json": `{"hidden_size":2}`, "model.safetensors": formatSafetensors({ b, a }) }),
    );
    expect(checkpoint.config).toEqual({ hidden_size: 2 });
    expect(checkpoint.names).toEqual(["a", "b"]);
    expect(checkpoint.has("a")).toBe(true);
    expect(checkpoint.has("c")).toBe(false);
    expect(await checkpoint.tensor("b")).toEqual(b);
    await expect(checkpoint.tensor("c")).rejects.toThrow(/m: no tensor c; it holds 2 others/);
  });

  test("openCheckpoint reads each shard once when the weights are sharded", async () => {
    const folder = folderOf(sharded);
    const checkpoint = await openCheckpoint(folder);
    expect(checkpoint.names).toEqual(["a", "b"]);
    expect(await Promise.all(["a", "a", "b"].map(checkpoint.tensor))).toEqual([a, a, b]);
    expect(folder.reads.filter((path) => path.endsWith("1.safetensors"))).toHaveLength(1);
    await expect(checkpoint.tensor("c")).rejects.toThrow(/m: no tensor c; it holds 2 others/);
  });

  test("hash depends on config and values, and not on how they lie in files", async () => {
    const config = `{"model_type":"qwen3"}`;
    const hashOf = async (files: Files) => (await openCheckpoint(folderOf(files))).hash();
    const whole = { "config.json": config, "model.safetensors": formatSafetensors({ a, b }) };
    const hash = await hashOf(whole);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf(sharded)).toBe(hash);
    expect(await hashOf({ ...whole, "config.json": "{}" })).not.toBe(hash);
    expect(
      await hashOf({ ...whole, "model.safetensors": formatSafetensors({ a, b: { ...b, data: Float32Array.of(4) } }) }),
    ).not.toBe(hash);
  });

  test.each([
    ["config.json is missing", without(sharded, "config.json"), /m: no config.json/],
    ["config.json is damaged", { ...sharded, "config.json": "{" }, /m\/config.json: damaged, not JSON/],
    ["config.json is a list", { ...sharded, "config.json": "[]" }, /m\/config.json: expected a JSON object/],
    ["there are no weights", { "config.json": "{}" }, /m: expected model.safetensors or .*, found neither; give/],
    ["the index has no map", { ...sharded, "model.safetensors.index.json": "{}" }, /expected an object weight_map/],
    [
      "the index maps to a number",
      { ...sharded, "model.safetensors.index.json": `{"weight_map":{"a":1}}` },
      /index.json: a: its shard must be a file name/,
    ],
    [
      "the weights are truncated",
      { "config.json": "{}", "model.safetensors": formatSafetensors({ a }).subarray(0, 70) },
      /m\/model.safetensors: .*truncated/,
    ],
  ] as [string, Files, RegExp][])("openCheckpoint names the file when %s", async (_, files, message) => {
    const opening = openCheckpoint(folderOf(files));
    await expect(opening).rejects.toThrow(WeightsError);
    await expect(opening).rejects.toThrow(message);
  });

  test("openCheckpoint names the shard when it is missing, or does not hold what the index says", async () => {
    const missing = openCheckpoint(folderOf(without(sharded, "2.safetensors")));
    await expect(missing).rejects.toThrow(/m: no 2.safetensors, a shard that model.safetensors.index.json lists/);
    const wrong = openCheckpoint(folderOf({ ...sharded, "2.safetensors": formatSafetensors({ a }) }));
    await expect(wrong).rejects.toThrow(/m\/2.safetensors: no tensor b/);
  });

  test("tensor throws WeightsError when the file became shorter while it was open", async () => {
    const bytes = formatSafetensors({ a });
    let end = bytes.length;
    const open = (path: string): Promise<FileReader | undefined> => {
      const read = (from: number, to: number) => Promise.resolve(bytes.subarray(from, Math.min(to, end)));
      return Promise.resolve(path === "model.safetensors" ? { size: bytes.length, read } : undefined);
    };
    const checkpoint = await openCheckpoint({ ...folderOf({ "config.json": "{}" }), open });
    expect(await checkpoint.tensor("a")).toEqual(a);
    end -= 1;
    await expect(checkpoint.tensor("a")).rejects.toThrow(/m\/model.safetensors: a: the file became shorter/);
  });
});

describe.skipIf(!hasSharedData("models"))(
  "openCheckpoint on the shared models (skipped without ../shared/data/models)",
  () => {
    test.each(["tiny_qwen2", "tiny_qwen3", "tiny_qwen3_5"])(
      "openCheckpoint gives the embedding rows that the reference forward saw when it reads %s",
      async (model) => {
        const folder = await openFolder(sharedData(`models/${model}`));
        const embedding = await (await openCheckpoint(folder)).tensor("model.embed_tokens.weight");
        const width = embedding.shape[1]!;
        const { cases } = JSON.parse(new TextDecoder().decode(await folder.read("expected.json"))) as Expected;
        for (const { input_ids: ids, hidden_last_token_first8: hidden } of cases) {
          const start = ids.at(-1)! * width;
          const row = [...embedding.data.subarray(start, start + 8)];
          row.forEach((value, i) => {
            expect(Math.abs(value - hidden[0]![i]!)).toBeLessThan(1e-6);
          });
        }
      },
    );

    test("openCheckpoint reads an F32 checkpoint when it is tiny_qwen2", async () => {
      const checkpoint = await openCheckpoint(await openFolder(sharedData("models/tiny_qwen2")));
      expect(checkpoint.config["model_type"]).toBe("qwen2");
      expect(checkpoint.names).toHaveLength(26);
      expect(checkpoint.has("lm_head.weight")).toBe(false);
      const bias = await checkpoint.tensor("model.layers.1.self_attn.k_proj.bias");
      expect(bias.shape).toEqual([32]);
      expect(bias.data.every(Number.isFinite)).toBe(true);
    });

    test("openCheckpoint reads a BF16 checkpoint when it is tiny_qwen3", async () => {
      const folder = await openFolder(sharedData("models/tiny_qwen3"));
      const checkpoint = await openCheckpoint(folder);
      expect(checkpoint.names).toHaveLength(25);
      const embedding = await checkpoint.tensor("model.embed_tokens.weight");
      expect(embedding.shape).toEqual([256, 64]);
      // Widened bf16 has no bits below its 16.
      const words = new Uint32Array(embedding.data.buffer);
      expect(words.every((word) => (word & 0xffff) === 0)).toBe(true);
      const bytes = await folder.read("model.safetensors");
      const again = formatSafetensors(
        Object.fromEntries(
          await Promise.all(checkpoint.names.map(async (name) => [name, await checkpoint.tensor(name)] as const)),
        ),
        { dtype: "BF16" },
      );
      const original = parseSafetensors(bytes!);
      const rewritten = parseSafetensors(again);
      for (const name of original.names) expect(rewritten.read(name)).toEqual(original.read(name));
    });

    test("openCheckpoint reads mixed dtypes when it is tiny_qwen3_5", async () => {
      const checkpoint = await openCheckpoint(await openFolder(sharedData("models/tiny_qwen3_5")));
      for (const name of checkpoint.names)
        expect((await checkpoint.tensor(name)).data.every(Number.isFinite)).toBe(true);
    });
  },
);

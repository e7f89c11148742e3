/** Training against what ONNX Runtime reaches on a plain matrix product, and an adapter step against a full one. */
import { createRng } from "../src/base/rng.ts";
import * as g from "../src/graph/builder.ts";
import { buildGraph } from "../src/graph/graph.ts";
import { parseDecoderConfig, type DecoderConfig } from "../src/model/decoder-config.ts";
import { adapterLayout, allLinear, initAdapter } from "../src/model/lora.ts";
import { flatLayout, flatViews, parameterSpecs } from "../src/model/parameters.ts";
import { openRuntime } from "../src/platform/node/ort-node.ts";
import { compileGraph } from "../src/runtime/executable.ts";
import type { Runtime } from "../src/runtime/session.ts";
import type { Example } from "../src/training/example.ts";
import { createGradientMachine } from "../src/training/gradient.ts";
import type { Figure } from "./main.ts";
import { fastestOf } from "./timing.ts";

/** 5.0 M parameters. */
const CONFIG = parseDecoderConfig({
  model_type: "qwen3",
  vocab_size: 2048,
  hidden_size: 256,
  num_hidden_layers: 6,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 32,
  intermediate_size: 768,
  tie_word_embeddings: true,
  max_position_embeddings: 512,
});
const SEQUENCES = 16;
const LENGTH = 128;
const ROUNDS = 6;
const PRODUCT = 1024;

/** Multiply-adds of one full step count twice; backward costs two forwards. Attention scores are counted in full. */
function stepFlops(config: DecoderConfig): number {
  const matrices = parameterSpecs(config).filter(({ shape }) => shape.length === 2);
  const weights = matrices.reduce((sum, { shape }) => sum + (shape[0] ?? 0) * (shape[1] ?? 0), 0);
  const attention = 2 * config.layers * config.heads * config.headSize * LENGTH;
  return 6 * (weights + attention) * SEQUENCES * LENGTH;
}

/** Ratios of the training step. */
export async function benchTraining(): Promise<readonly Figure[]> {
  const runtime = await openRuntime("cpu");
  const rng = createRng("bench-training");
  const layout = flatLayout(parameterSpecs(CONFIG));
  const weights = Float32Array.from({ length: layout.size }, () => 0.05 * (rng.uniform() - 0.5));
  const values = flatViews(weights, layout);
  const lora = { rank: 8, alpha: 16, targets: allLinear(CONFIG) };
  const adapter = initAdapter(adapterLayout(CONFIG, lora), rng);
  const examples = Array.from({ length: SEQUENCES }, (): Example => {
    const ids = Array.from({ length: LENGTH + 1 }, () => rng.int(CONFIG.vocabulary));
    return { ids, mask: ids.map(() => 1) };
  });
  await using full = await createGradientMachine({ runtime, config: CONFIG, trainable: { kind: "full" } });
  const trainable = { kind: "adapter", values, lora, mode: "merged" } as const;
  await using adapted = await createGradientMachine({ runtime, config: CONFIG, trainable });
  await using product = await plainProduct(runtime);
  const seconds = await fastestOf(
    {
      full: () => full.lossGradient(weights, examples),
      adapter: () => adapted.lossGradient(adapter, examples),
      product: product.run,
    },
    ROUNDS,
  );
  const trainingRate = stepFlops(CONFIG) / seconds.full / 1e9;
  const productRate = (2 * PRODUCT ** 3) / seconds.product / 1e9;
  const figure = (name: string, value: number, rest: Pick<Figure, "unit"> & Partial<Figure>): Figure => ({
    bench: "training",
    figure: name,
    value,
    ...rest,
  });
  return [
    figure("parameters", layout.size, { unit: "values" }),
    figure("full step", trainingRate, { unit: "GFLOP/s" }),
    figure("plain product 1024^3", productRate, { unit: "GFLOP/s" }),
    figure("full step / plain product", trainingRate / productRate, { unit: "ratio", limit: ">= 0.7" }),
    figure("adapter step / full step", seconds.adapter / seconds.full, { unit: "ratio", limit: "<= 0.85" }),
    figure("tokens trained, adapter", (SEQUENCES * LENGTH) / seconds.adapter, { unit: "tokens/s" }),
  ];
}

async function plainProduct(runtime: Runtime): Promise<AsyncDisposable & { readonly run: () => Promise<unknown> }> {
  const [a, b] = [g.input("a", "f32", [PRODUCT, PRODUCT]), g.input("b", "f32", [PRODUCT, PRODUCT])];
  const executable = await compileGraph(buildGraph({ y: g.gemm(a, b) }), runtime);
  const data = new Float32Array(PRODUCT * PRODUCT).fill(0.5);
  const tensor = { type: "f32" as const, shape: [PRODUCT, PRODUCT], data };
  return {
    run: () => executable.run({ a: tensor, b: tensor }),
    [Symbol.asyncDispose]: () => executable[Symbol.asyncDispose](),
  };
}

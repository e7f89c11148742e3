/** The optimiser of full training: Muon on the linear maps, AdamW on embeddings and norms (Liu et al., arXiv:2502.16982). */
import type { FlatLayout } from "../model/parameters.ts";
import { compileGraph, floats } from "../runtime/executable.ts";
import type { HostTensor, Runtime } from "../runtime/session.ts";
import { adamStep, createAdamState, type AdamState } from "./adamw.ts";
import { buildMuonGraph } from "./muon.ts";

/** Settings; the learning rate comes with each step. */
export type MuonAdamConfig = {
  /** Decay of Muon's momentum (Nesterov). */
  readonly momentum: number;
  /** Betas of AdamW. */
  readonly betas: readonly [number, number];
  readonly eps: number;
  /** Decoupled, for all matrices. */
  readonly weightDecay: number;
};

/** What must survive a restart. */
export type MuonAdamState = { readonly momentum: Float32Array; readonly adam: AdamState };

/** An optimiser of one flat parameter vector [P]. */
export type MuonAdam = AsyncDisposable & {
  readonly state: MuonAdamState;
  /** Changes `values` [P] in place by `gradient` [P], which may be overwritten. */
  readonly step: (values: Float32Array, gradient: Float32Array, lr: number) => Promise<void>;
};

/** What `createMuonAdam` needs. */
export type MuonAdamParts = {
  readonly runtime: Runtime;
  readonly layout: FlatLayout;
  readonly config: MuonAdamConfig;
  /** State to go on from. @default fresh */
  readonly state?: MuonAdamState;
};

/** Whether Muon takes the parameter: the linear maps, not the tables that tokens index. */
function isLinear(name: string): boolean {
  return name.includes("_proj.weight");
}

/** Compiles the optimiser. */
export async function createMuonAdam({ runtime, layout, config, state: given }: MuonAdamParts): Promise<MuonAdam> {
  const { graph, groups } = buildMuonGraph(layout, isLinear);
  const executable = await compileGraph(graph, runtime);
  const state = given ?? { momentum: new Float32Array(layout.size), adam: createAdamState(layout.size) };

  const muonStep = async (values: Float32Array, gradient: Float32Array, lr: number): Promise<void> => {
    const feeds = groups.map(({ rows, columns, offsets }, i): [string, HostTensor] => {
      const data = new Float32Array(offsets.length * rows * columns);
      offsets.forEach((offset, n) => {
        nesterov(state.momentum, gradient, { offset, decay: config.momentum, out: matrixAt(data, n, rows * columns) });
      });
      return [`stack${String(i)}`, { type: "f32", shape: [offsets.length, rows, columns], data }];
    });
    const updates = await executable.run(Object.fromEntries(feeds));
    groups.forEach(({ rows, columns, offsets }, i) => {
      const update = floats(updates, `update${String(i)}`);
      offsets.forEach((offset, n) => {
        applyUpdate(values.subarray(offset, offset + rows * columns), matrixAt(update, n, rows * columns), {
          lr,
          keep: 1 - lr * config.weightDecay,
        });
      });
    });
  };

  return {
    state,
    step: async (values, gradient, lr) => {
      await muonStep(values, gradient, lr);
      // AdamW sees a zero gradient where Muon acts; those values are put back after it.
      const kept = values.slice();
      adamStep(values, gradient, { state: state.adam, config: { ...config, lr } });
      for (const { rows, columns, offsets } of groups)
        for (const offset of offsets) values.set(kept.subarray(offset, offset + rows * columns), offset);
    },
    [Symbol.asyncDispose]: () => executable[Symbol.asyncDispose](),
  };
}

function matrixAt(stack: Float32Array, index: number, size: number): Float32Array {
  return stack.subarray(index * size, (index + 1) * size);
}

type NesterovSite = { readonly offset: number; readonly decay: number; readonly out: Float32Array };

/** momentum = decay * momentum + gradient; out = gradient + decay * momentum. */
function nesterov(momentum: Float32Array, gradient: Float32Array, { offset, decay, out }: NesterovSite): void {
  for (let i = 0; i < out.length; i += 1) {
    const slope = gradient[offset + i] ?? 0;
    const mean = decay * (momentum[offset + i] ?? 0) + slope;
    momentum[offset + i] = mean;
    out[i] = slope + decay * mean;
  }
}

function applyUpdate(
  values: Float32Array,
  update: Float32Array,
  { lr, keep }: { readonly lr: number; readonly keep: number },
): void {
  for (let i = 0; i < values.length; i += 1) values[i] = (values[i] ?? 0) * keep - lr * (update[i] ?? 0);
}

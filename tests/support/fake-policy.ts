/**
 * A policy for tests that answers sums: right with a probability that rises with each training step and with a careful
 * prompt. It keeps the port's promises (seeded streams, state saved bit for bit), so a whole experiment runs in seconds.
 */
import { createRng } from "../../src/base/rng.ts";
import type { AdapterState, Policy } from "../../src/experiment/policy.ts";
import type { Completer, Completion } from "../../src/generation/completer.ts";
import type { ChatCodec } from "../../src/text/chat.ts";
import type { Example } from "../../src/training/example.ts";

/** Options of `createFakePolicy`. */
export type FakePolicyOptions = {
  /** Log-odds of a right answer before training. @default -1.6 */
  readonly skill?: number;
  /** Log-odds gained by one optimiser step. @default 0.5 */
  readonly gain?: number;
};

/** Characters as ids; 0 ends a turn. */
export const CHARACTER_CODEC: ChatCodec = {
  encodePrompt: (messages, options = {}) => [
    ...messages.flatMap(({ role, content }) => encode(`${role}:${content}\n`)),
    ...encode(`assistant:${options.prefill ?? ""}`),
  ],
  encode,
  decode: (ids) => String.fromCharCode(...ids.filter((id) => id !== 0)),
  endIds: [0],
  vocabulary: 128,
};

/** A fresh fake policy. */
export function createFakePolicy(options: FakePolicyOptions = {}): Policy {
  const { gain = 0.5 } = options;
  const weights = Float32Array.of(options.skill ?? -1.6);
  let steps = 0;
  let sampled = 0;
  const completer: Completer = {
    complete: ({ prompt, stream }) => {
      const completion = reply(CHARACTER_CODEC.decode(prompt), weights[0] ?? 0, stream);
      sampled += completion.ids.length;
      return Promise.resolve(completion);
    },
    release: () => undefined,
  };
  return {
    describe: () => ({ name: "fake", hash: "0".repeat(64), device: "cpu" }),
    completer: () => completer,
    trainStep: (examples) => {
      const targets = countTargets(examples);
      const skill = (weights[0] ?? 0) + gain;
      weights[0] = skill;
      steps += 1;
      return Promise.resolve({ loss: Math.exp(-skill), gradNorm: 1 / steps, targets, positions: targets });
    },
    saveAdapter: () =>
      Promise.resolve({
        adapter: new Uint8Array(weights.slice().buffer),
        adapterConfig: { peft_type: "FAKE" },
        optimizer: Uint8Array.of(steps),
      }),
    loadAdapter: ({ adapter, optimizer }: AdapterState) => {
      weights.set(new Float32Array(adapter.slice().buffer));
      steps = optimizer[0] ?? 0;
      return Promise.resolve();
    },
    tokensSampled: () => sampled,
    settle: () => Promise.resolve(),
  };
}

function encode(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

function reply(prompt: string, skill: number, stream: readonly (string | number)[]): Completion {
  const rng = createRng("fake", ...stream);
  const found = /(?<a>\d+)\+(?<b>\d+)/.exec(prompt)?.groups;
  const odds = skill + (prompt.includes("carefully") ? 1.5 : 0);
  const isRight = rng.uniform() < 1 / (1 + Math.exp(-odds));
  const sum = Number(found?.["a"]) + Number(found?.["b"]) + (isRight ? 0 : 1 + rng.int(5));
  const text = isRight || rng.uniform() < 0.5 ? `<answer>${String(sum)}</answer>` : `It is ${String(sum)}`;
  const ids = [...encode(text), 0];
  return { ids, logprobs: ids.map(() => -0.5), text, finish: "end" };
}

function countTargets(examples: readonly Example[]): number {
  return examples.reduce((sum, { mask }) => sum + mask.reduce((total, weight) => total + weight, 0), 0);
}

/** Harnesses that mechanisms wrote, run in the sandbox against a scripted model: they must work, not only parse. */
import { describe, expect, it } from "vitest";
import { mathReasoning } from "../../domains/math-reasoning/domain.ts";
import { createRng } from "../../src/base/rng.ts";
import type { GuestOutcome } from "../../src/sandbox/isolate.ts";
import { buildMechanisms } from "../../src/search/mechanisms/library.ts";
import { applyMechanism } from "../../src/search/mechanisms/mechanism.ts";
import { parseHarness } from "../../src/search/syntax/harness-tree.ts";
import { solvedTrace } from "./fake-domain.ts";
import { useSandbox } from "../support/use-sandbox.ts";

const MECHANISMS = buildMechanisms(mathReasoning);
const H0 = parseHarness(mathReasoning.seedHarness);
const sandbox = useSandbox();

/** Runs a harness; the model gives `replies` in turn and then the last for ever. Also gives what it was asked. */
async function run(source: string, replies: readonly string[], turns = 8) {
  const asked: string[] = [];
  const outcome: GuestOutcome = await sandbox.run({
    source,
    entry: "solve",
    args: [{ question: "What is 1 + 1?" }],
    host: {
      chat: ([messages, options]) => {
        if (asked.length >= turns) return Promise.reject(new RangeError("the rollout's turns are spent"));
        asked.push(JSON.stringify([messages, options ?? {}]));
        const text = replies[Math.min(asked.length, replies.length) - 1] ?? "";
        return Promise.resolve({ text, finish: "end", tokens: 5 });
      },
      ["tools.run"]: () => Promise.resolve({ ok: true, output: "2" }),
      note: () => undefined,
    },
    hostValues: { budget: () => ({ tokens: 100, turns: turns - asked.length, toolCalls: 8 }) },
    limits: { fuel: 500, memory: 16 * 1024 * 1024, stack: 256 * 1024, output: 1e6, hostCalls: 100 },
    seed: "test",
  });
  return { outcome, asked };
}

function withMechanism(name: string): string {
  const mechanism = MECHANISMS.find((one) => one.name === name);
  const tree = mechanism && applyMechanism(mechanism, H0, { random: createRng("run"), examples: [solvedTrace()] });
  if (!tree) throw new TypeError(`${name} has no place in h0`);
  return tree.source;
}

describe("mechanisms on the first harness of math-reasoning", () => {
  it("all but phrases write harnesses that answer when the model does as asked", async () => {
    const failed: string[] = [];
    for (const { name } of MECHANISMS.filter((one) => !/^(phrase|append):/.test(one.name))) {
      let source: string;
      try {
        source = withMechanism(name);
      } catch {
        continue;
      }
      const { outcome } = await run(source, ["<code>print(1 + 1)</code>", "\\boxed{2}"]);
      const isOneTurn = name === "lower:MAX_TURNS";
      if (!outcome.ok || (!isOneTurn && !JSON.stringify(outcome.value).includes("boxed{2}"))) failed.push(name);
    }
    expect(failed).toEqual([]);
  });

  it("remind asks once more, and only once, when there is no answer", async () => {
    const { outcome, asked } = await run(withMechanism("remind:0"), ["I do not know.", "\\boxed{2}"]);
    expect(outcome).toMatchObject({ ok: true, value: "\\boxed{2}" });
    expect(asked.length).toBe(2);
    const hopeless = await run(withMechanism("remind:0"), ["I do not know."]);
    expect(hopeless.outcome.ok).toBe(true);
    expect(hopeless.asked.length).toBe(2);
  });

  it("fresh-attempts starts again until there is an answer", async () => {
    const { outcome, asked } = await run(withMechanism("fresh-attempts"), ["Hm.", "Hm.", "\\boxed{2}"]);
    expect(outcome).toMatchObject({ ok: true, value: "\\boxed{2}" });
    expect(asked.length).toBe(3);
    expect(asked[2]).toBe(asked[0]);
  });

  it("vote gives the commonest answer and stays within the budget", async () => {
    const replies = ["\\boxed{3}", "\\boxed{2}", "So \\boxed{2}"];
    const { outcome } = await run(withMechanism("vote"), replies);
    expect(outcome).toMatchObject({ ok: true, value: "\\boxed{2}" });
    const short = await run(withMechanism("vote"), replies, 1);
    expect(short.outcome).toMatchObject({ ok: true, value: "\\boxed{3}" });
  });

  it("worked-example shows the chat of a solved task first", async () => {
    const { asked } = await run(withMechanism("worked-example"), ["\\boxed{2}"]);
    expect(asked[0]).toContain("How many?");
    expect(asked[0]!.indexOf("<call>count</call>")).toBeLessThan(asked[0]!.indexOf("What is 1 + 1?"));
  });
});

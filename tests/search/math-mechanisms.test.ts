/** Every mechanism of math-reasoning on its real h0: what it writes must parse, keep the exports and be another program. */
import { describe, expect, it } from "vitest";
import { mathReasoning } from "../../domains/math-reasoning/domain.ts";
import { createRng } from "../../src/base/rng.ts";
import { buildMechanisms } from "../../src/search/mechanisms/library.ts";
import { applyMechanism } from "../../src/search/mechanisms/mechanism.ts";
import { isPromptOnlyEdit, normaliseTree } from "../../src/search/syntax/compare.ts";
import { parseHarness } from "../../src/search/syntax/harness-tree.ts";
import { solvedTrace } from "./fake-domain.ts";

const H0 = mathReasoning.seedHarness;
const TREE = parseHarness(H0);
const MECHANISMS = buildMechanisms(mathReasoning);
const context = () => ({ random: createRng("test"), examples: [solvedTrace()] });

describe("buildMechanisms of math-reasoning", () => {
  it("names axes and causes of the domain, once each", () => {
    for (const { axis, addresses } of MECHANISMS) {
      expect(mathReasoning.axes).toContain(axis);
      for (const cause of addresses) expect(mathReasoning.causes).toContain(cause);
    }
    expect(new Set(MECHANISMS.map(({ name }) => name)).size).toBe(MECHANISMS.length);
    expect(new Set(MECHANISMS.map(({ axis }) => axis))).toEqual(new Set(mathReasoning.axes));
  });

  it("finds a place for every domain variant in h0", () => {
    for (const mechanism of MECHANISMS.filter(({ name }) => name.startsWith("variant:")))
      expect(applyMechanism(mechanism, TREE, context()), mechanism.name).toBeDefined();
  });

  it("writes harnesses that parse, keep exports and differ from h0", () => {
    const placed = MECHANISMS.flatMap((mechanism) => {
      const tree = applyMechanism(mechanism, TREE, context());
      return tree ? [{ mechanism, tree }] : [];
    });
    const plain = normaliseTree(TREE);
    for (const { mechanism, tree } of placed) {
      for (const name of TREE.exports) expect(tree.exports, mechanism.name).toContain(name);
      expect(tree.functions.get("solve"), mechanism.name).toMatchObject({ async: true });
      expect(normaliseTree(tree), mechanism.name).not.toBe(plain);
      if (mechanism.promptOnly) expect(isPromptOnlyEdit(H0, tree.source), mechanism.name).toBe(true);
    }
    const names = placed.map(({ mechanism }) => mechanism.name);
    expect(names).toEqual(
      expect.arrayContaining([
        "remind:0",
        "fresh-attempts",
        "vote",
        "worked-example",
        "raise:MAX_TURNS",
        "stop:</code>",
      ]),
    );
  });

  it("can stack mechanisms of every axis on one harness", () => {
    let tree = TREE;
    const applied: string[] = [];
    for (const axis of mathReasoning.axes)
      for (const mechanism of createRng(axis)
        .shuffle(MECHANISMS.filter((one) => one.axis === axis))
        .slice(0, 4)) {
        const edited = applyMechanism(mechanism, tree, context());
        if (!edited) continue;
        tree = edited;
        applied.push(mechanism.name);
      }
    expect(applied.length).toBeGreaterThanOrEqual(mathReasoning.axes.length);
    expect(tree.exports).toContain("solve");
  });
});

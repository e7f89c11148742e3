import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { canonicalJson } from "../../src/base/json.ts";
import { configLeaves, overrideConfig, parseConfig, PRESETS } from "../../src/experiment/config.ts";
import { PRESET_TABLE, resolveConfig } from "../../src/experiment/presets.ts";

const CHOICE = { domain: "math-reasoning", condition: "whale", model: "tiny", seed: 3 };

describe("resolveConfig", () => {
  it.each(PRESETS)("accepts its own preset %s for each condition and freezes it", (preset) => {
    const config = resolveConfig(preset, CHOICE);
    expect(config).toMatchObject({ ...CHOICE, preset });
    expect(Object.isFrozen(config) && Object.isFrozen(config.optimizer)).toBe(true);
  });

  it("reaches every setting by its dotted path, as text", () => {
    const preset = PRESET_TABLE.toy;
    for (const [path, value] of configLeaves(preset)) {
      const config = overrideConfig(preset, { [path]: typeof value === "string" ? value : JSON.stringify(value) });
      expect(config, path).toEqual(preset);
    }
    expect(resolveConfig("toy", CHOICE, { "optimizer.lr": "1e-3", "schedule.totalSteps": "9" })).toMatchObject({
      optimizer: { lr: 0.001 },
      schedule: { totalSteps: 9, phaseSteps: PRESET_TABLE.toy.schedule.phaseSteps },
    });
    expect(
      resolveConfig("toy", CHOICE, { "adaptive.weights.requireFullWindow": "true" }).adaptive.weights,
    ).toMatchObject({
      requireFullWindow: true,
    });
  });

  it("has the paper's numbers by domain when the preset is full", () => {
    expect(resolveConfig("full", CHOICE).schedule).toMatchObject({ totalSteps: 420, phaseSteps: 42, iterations: 6 });
    expect(resolveConfig("full", { ...CHOICE, domain: "search-qa" }).schedule).toMatchObject({
      totalSteps: 296,
      phaseSteps: 44,
    });
    expect(resolveConfig("full", { ...CHOICE, domain: "chess-puzzles" }).schedule).toMatchObject({
      totalSteps: 256,
      phaseSteps: 38,
    });
  });

  it("lists keys that are near when a key does not exist", () => {
    expect(() => resolveConfig("toy", CHOICE, { "optimiser.lr": "1" })).toThrow(/near it: optimizer\.lr/);
    expect(() => resolveConfig("toy", CHOICE, { lr: "1" })).toThrow(/near it: optimizer\.lr/);
    expect(() => resolveConfig("toy", CHOICE, { schedule: "1" })).toThrow(/near it: .*schedule\.totalSteps/);
    expect(() => resolveConfig("toy", CHOICE, { nonsenseword: "1" })).toThrow(/groups: .*optimizer/);
  });

  it.each<[string, string]>([
    ["optimizer.lr", "fast"],
    ["optimizer.lr", "-1"],
    ["optimizer.lr", ""],
    ["optimizer.beta2", "1"],
    ["rsft.prompts", "0"],
    ["rsft.prompts", "2.5"],
    ["schedule.iterations", "1"],
    ["sampling.topP", "0"],
    ["evaluation.confidence", "1"],
    ["adaptive.weights.requireFullWindow", "maybe"],
    ["seed", "-1"],
  ])("refuses %s=%s", (path, value) => {
    expect(() => resolveConfig("toy", CHOICE, { [path]: value })).toThrow(ConfigError);
  });

  it("names what exists when the condition or the preset does not", () => {
    expect(() => resolveConfig("toy", { ...CHOICE, condition: "wale" })).toThrow(/condition: expected one of .*whale/);
    expect(() => resolveConfig("tiny", CHOICE)).toThrow(/preset: expected one of smoke, tab, toy, full/);
  });
});

describe("parseConfig", () => {
  const config = resolveConfig("smoke", CHOICE, { "optimizer.lr": 0.25 });
  const read = (change: object): unknown =>
    parseConfig(JSON.parse(JSON.stringify({ ...config, ...change })) as typeof config, PRESET_TABLE.toy);

  it("gives back what was written", () => {
    expect(canonicalJson(parseConfig(JSON.parse(canonicalJson(config)) as typeof config, PRESET_TABLE.toy))).toBe(
      canonicalJson(config),
    );
  });

  it("takes the proposer's defaults when a folder says nothing of it", () => {
    expect(read({ proposer: {} })).toMatchObject({ proposer: PRESET_TABLE.toy.proposer, optimizer: { lr: 0.25 } });
    expect(read({ proposer: { kind: "random" } })).toMatchObject({ proposer: { kind: "random", turns: 40 } });
  });

  it("takes the default of a setting that earlier versions did not have", () => {
    const { memory, ...rsft } = config.rsft;
    const { thinking, ...rollout } = config.rollout;
    expect([memory, thinking]).toEqual([4, ""]);
    expect(read({ rsft, rollout })).toMatchObject({ rsft: { memory: 4 }, rollout: { thinking: "" } });
    expect(() => read({ rollout: { ...rollout, thinking: "maybe" } })).toThrow(
      'rollout.thinking: expected one of "", on, off',
    );
  });

  it("refuses a config that lacks a key, has one too many or holds the wrong kind", () => {
    expect(() => read({ rsft: { prompts: 1 } })).toThrow(/rsft\.samples is missing/);
    expect(() => read({ extra: 1 })).toThrow(/unknown setting "extra"/);
    expect(() => read({ seed: "three" })).toThrow(/seed: expected a number/);
  });
});

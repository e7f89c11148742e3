import { describe, expect, test } from "vitest";
import {
  FIRST_LOOK,
  FIRST_SETTINGS,
  readAddress,
  writeAddress,
  type Look,
  type Settings,
} from "../../../web/page/model/address.ts";

const DOMAINS = ["math-reasoning", "search-qa", "chess-puzzles"];

describe("the address", () => {
  test("readAddress gives back what writeAddress wrote, setting by setting", () => {
    const settings: Settings = {
      domain: "chess-puzzles",
      condition: "adaptive",
      preset: "smoke",
      seed: 41,
      device: "wasm",
      overrides: { "rsft.prompts": "16", "optimizer.lr": "1e-3", "search.racing": "true" },
    };
    const look: Look = { tab: "harness", theme: "dark", at: 3, run: "2026-a", compare: ["b", "c"] };
    expect(readAddress(writeAddress(settings, look), DOMAINS)).toEqual({ settings, look, problems: [] });
  });

  test("readAddress begins with the first settings when the address says nothing", () => {
    expect(readAddress("", DOMAINS)).toEqual({ settings: FIRST_SETTINGS, look: FIRST_LOOK, problems: [] });
  });

  test("writeAddress names domain, condition, preset and seed even when they are the first ones", () => {
    const query = new URLSearchParams(writeAddress(FIRST_SETTINGS, FIRST_LOOK));
    expect([...query.keys()]).toEqual(["domain", "condition", "preset", "seed"]);
  });

  test("readAddress tells what it cannot understand and uses the rest", () => {
    const { settings, problems } = readAddress("?preset=huge&seed=-1&condition=fst&set.no%20path=1", DOMAINS);
    expect(settings).toMatchObject({ preset: FIRST_SETTINGS.preset, seed: 0, condition: "fst", overrides: {} });
    expect(problems).toHaveLength(3);
    expect(problems.join("\n")).toContain("“huge”");
  });
});

import { describe, expect, it } from "vitest";
import { createDraw } from "../../scripts/pretrain/draw.ts";
import { drawName, drawNames, drawSimilarName, isHeldOutName, isRealName } from "../../scripts/pretrain/names.ts";

describe("isHeldOutName", () => {
  it("reserves about a fifth of all names, whatever their case", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `Ka${index.toString(26).replace(/\d/g, "o")}`);
    const share = names.filter(isHeldOutName).length / names.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
    for (const name of names.slice(0, 50)) expect(isHeldOutName(name.toUpperCase())).toBe(isHeldOutName(name));
  });
});

describe("drawName", () => {
  it("never gives a reserved name, nor one that tasks use", () => {
    const draw = createDraw("names test");
    for (let index = 0; index < 2000; index += 1) {
      const name = drawName(draw);
      expect(name).toMatch(/^[A-Z][a-z]+$/);
      expect([name, isHeldOutName(name), isRealName(name)]).toEqual([name, false, false]);
      const other = drawSimilarName(draw, name);
      expect(other).not.toBe(name);
      expect([other, isHeldOutName(other), isRealName(other)]).toEqual([other, false, false]);
    }
    expect(new Set(drawNames(draw, 50)).size).toBe(50);
  });
});

describe("isRealName", () => {
  it("knows the words of countries, capitals and elements", () => {
    expect(["Kenya", "Nairobi", "Helium", "Zealand"].map(isRealName)).toEqual([true, true, true, true]);
    expect(isRealName("Kenyax")).toBe(false);
  });
});

import { describe, expect, test } from "vitest";
import { concludeRun, renderReport } from "../../src/report/page.ts";
import { diffTexts } from "../../src/report/harness-diff.ts";
import { bandPath, formatCount, formatShare, linearScale, linePath, roundTicks } from "../../src/report/chart.ts";
import { escapeHtml, html } from "../../src/report/html.ts";
import { flattenJson } from "../../src/report/tables.ts";
import { curvePoint, HOSTILE, syntheticRecord } from "../support/synthetic-record.ts";

describe("renderReport", () => {
  const page = renderReport([syntheticRecord()]);

  test("never lets text become markup", () => {
    expect(page).not.toContain("<script");
    expect(page).not.toContain(HOSTILE);
    expect(page.split(escapeHtml(HOSTILE)).length - 1).toBeGreaterThanOrEqual(4);
  });

  test("loads nothing from outside", () => {
    expect(page).not.toMatch(/(?:src|href)\s*=|@import|url\(|https?:\/\//);
  });

  test("shows both splits, all phases, the chosen point and the base line", () => {
    expect(page).toContain('class="series validation"');
    expect(page).toContain('class="series test"');
    expect(page.match(/class="phase weights"/g)).toHaveLength(3);
    expect(page.match(/class="phase harness"/g)).toHaveLength(2);
    expect(page).toContain("base on test 21.4\u202f%");
    expect(page).toContain("chosen 68.8\u202f%");
  });

  test("draws a circle for each step in each of the four step charts", () => {
    const steps = syntheticRecord().steps.length;
    expect(page.match(/r="2.5"/g)).toHaveLength(4 * steps);
  });

  test("joins the steps of a phase and leaves the gaps between phases open", () => {
    expect(page.match(/<g class="steps">\s*(<path class="line"[^>]*>\s*){3}<circle/g)).toHaveLength(4);
  });

  test("shows each candidate with its fate, the diff and both transcripts", () => {
    expect(page).toContain("Showing the tool&#39;s output before the answer removes guessing");
    expect(page).toContain('class="is-accepted"');
    expect(page).toContain('class="is-refused"');
    expect(page.match(/class="diff-line added"/g)?.length).toBeGreaterThan(3);
    expect(page).toContain("Before");
    expect(page).toContain("After");
  });

  test("overlays several runs and names only what tells them apart", () => {
    const runs = [syntheticRecord(), syntheticRecord({ condition: "weight-only", folder: "runs/b" })];
    const overlaid = renderReport(runs);
    expect(overlaid).toContain('class="overlay run-0"');
    expect(overlaid).toContain('class="overlay run-1"');
    expect(overlaid).toContain("weight-only");
    expect(overlaid).not.toContain("weight-only, toy");
  });

  test("renders a run that has only begun, and says how to go on", () => {
    const begun = syntheticRecord({
      isComplete: false,
      curve: [],
      base: undefined,
      chosen: undefined,
      final: undefined,
      bestOnTest: undefined,
      phases: [],
      steps: [],
      candidates: [],
      transcripts: [],
    });
    const text = renderReport([begun]);
    expect(text).toContain("spyhop resume runs/math-reasoning-whale-toy-seed0");
    expect(text).not.toContain("NaN");
    expect(page).not.toContain("NaN");
  });

  test("throws when there is nothing to show", () => {
    expect(() => renderReport([])).toThrow(RangeError);
  });
});

describe("concludeRun", () => {
  test("says by how much the chosen point is better", () => {
    expect(concludeRun(syntheticRecord())).toBe(
      "Test accuracy went from 21.4\u202f% to 68.8\u202f% (+47.4 points) after 5\u202f120 rollouts.",
    );
  });

  test("says that overlapping intervals are not told apart", () => {
    const chosen = curvePoint(1280, "weights", [0.3, 0.27]);
    expect(concludeRun(syntheticRecord({ chosen }))).toContain("not yet told apart from chance");
  });

  test("says that nothing beat the base", () => {
    const { base } = syntheticRecord();
    expect(concludeRun(syntheticRecord({ chosen: base }))).toContain("No point was better on validation");
  });
});

describe("diffTexts", () => {
  test("marks the words that differ and folds long unchanged stretches", () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${String(i)}`).join("\n");
    const after = before.replace("line 10", "line ten");
    const lines = diffTexts(before, after);
    expect(lines.map((line) => line.kind)).toEqual([
      ...["gap", "same", "same", "same", "removed", "added", "same", "same", "same", "gap"],
    ]);
    const added = lines.find((line) => line.kind === "added");
    expect(added?.parts.filter((part) => part.isChanged).map((part) => part.text)).toEqual(["ten"]);
    expect(added?.newNumber).toBe(11);
    expect(lines[0]?.parts[0]?.text).toBe("7 unchanged lines");
  });

  test("gives back both texts from its lines when nothing is folded", () => {
    const before = "a\nb\nc\n";
    const after = "a\nx\nb\nc2\n";
    const lines = diffTexts(before, after);
    const side = (skip: string): string =>
      lines
        .filter((line) => line.kind !== skip)
        .map((line) => line.parts.map((part) => part.text).join(""))
        .join("\n");
    expect(side("added")).toBe("a\nb\nc");
    expect(side("removed")).toBe("a\nx\nb\nc2");
  });
});

describe("chart", () => {
  test("roundTicks gives multiples of 1, 2 or 5", () => {
    expect(roundTicks(1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(roundTicks(5120, 6)).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
    expect(roundTicks(0, 5)).toEqual([0]);
  });

  test("linearScale maps the ends and survives an empty domain", () => {
    const scale = linearScale([0, 10], [100, 0]);
    expect([scale(0), scale(5), scale(10)]).toEqual([100, 50, 0]);
    expect(linearScale([3, 3], [1, 9])(3)).toBe(1);
  });

  test("paths follow their points", () => {
    expect(
      linePath([
        [0, 1],
        [2, 3.005],
      ]),
    ).toBe("M0 1L2 3.01");
    expect(bandPath([[0, 2]], [[0, 1]])).toBe("M0 2L0 1Z");
    expect(bandPath([], [])).toBe("");
  });

  test("figures are grouped and rounded", () => {
    expect(formatCount(1234567)).toBe("1\u202f234\u202f567");
    expect(formatCount(12)).toBe("12");
    expect(formatShare(0.41349)).toBe("41.3\u202f%");
  });
});

describe("html", () => {
  test("escapes text, keeps markup and leaves nothing for what is absent", () => {
    expect(html`<p class="${'"'}">${"<b>"}${html`<i>${1}</i>`}${undefined}${false}${["a", "&"]}</p>`.markup).toBe(
      '<p class="&quot;">&lt;b&gt;<i>1</i>a&amp;</p>',
    );
  });
});

describe("flattenJson", () => {
  test("gives every leaf with its path", () => {
    expect(flattenJson({ a: { b: 1200 }, c: [1, 2], d: [{ e: "x" }], f: null })).toEqual([
      { path: "a.b", text: "1\u202f200" },
      { path: "c", text: "[1,2]" },
      { path: "d[0].e", text: "x" },
      { path: "f", text: "null" },
    ]);
  });
});

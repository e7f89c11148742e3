/** Harnesses that find moves themselves are refused, and honest changes of h0 are not. */
import { expect, test } from "vitest";
import { chessPuzzles } from "../../../domains/chess-puzzles/domain.ts";
import { refusals } from "../../support/planted.ts";

/** h0 with one function replaced. */
function withFunction(name: string, source: string): string {
  const start = chessPuzzles.seedHarness.indexOf(`function ${name}(`);
  const end = chessPuzzles.seedHarness.indexOf("\n}\n", start) + 2;
  if (start < 0) throw new RangeError(`h0 has no function ${name}`);
  return chessPuzzles.seedHarness.slice(0, start) + source + chessPuzzles.seedHarness.slice(end);
}

const MATE = 'view.legal.find(({ san }) => san.endsWith("#"))';
const list = (moves: string, more = '""'): string =>
  withFunction(
    "formatObservation",
    `function formatObservation(view) {
  const moves = ${moves};
  return "Legal moves:\\n" + moves.map(formatMove).join("\\n") + ${more};
}`,
  );

test.each([
  ["lists nothing but mates and checks", list("view.legal.filter(({ san }) => /[+#]$/.test(san))"), ["null-model"]],
  [
    "lists mates first",
    list('[...view.legal].sort((a, b) => b.san.endsWith("#") - a.san.endsWith("#"))'),
    ["null-model"],
  ],
  ["says the mate behind the list", list("view.legal", `"\\nLook at " + (${MATE}?.uci ?? "all")`), ["null-model"]],
  [
    "plays the mate itself",
    withFunction("parseMove", 'function parseMove(text) {\n  return "a1a8";\n}')
      .replace("env.tools.play(move)", `env.tools.play(${MATE}?.uci ?? move)`)
      .replace("!isLegal(view, move)", "false"),
    ["provenance"],
  ],
])("a harness that %s", async (_, source, caughtBy) => {
  const found = (await refusals(chessPuzzles, source)).map(([name]) => name);
  expect(found).toEqual(expect.arrayContaining(caughtBy));
});

test.each(chessPuzzles.variants)("the variant is honest: $hypothesis", async ({ target, source }) => {
  expect(await refusals(chessPuzzles, withFunction(target, source))).toEqual([]);
});

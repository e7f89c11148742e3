import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { evaluate, runProgram } from "../../scripts/pretrain/arithmetic.ts";
import { transcriptAt } from "../../scripts/pretrain/corpus.ts";
import { createDraw } from "../../scripts/pretrain/draw.ts";
import { drawProblem } from "../../scripts/pretrain/math-problems.ts";

let lines: string[] = [];
const context = createContext({ print: (...values: unknown[]) => lines.push(values.map(String).join(" ")) });

/** Runs `source` in a real JavaScript engine; the block keeps its declarations apart from those of other programs. */
function runReally(source: string): { lines: string[]; value: unknown } {
  lines = [];
  const value: unknown = runInContext(`{\n${source}\n}`, context, { timeout: 1000 });
  return { lines, value };
}

describe("runProgram", () => {
  it("gives values, printed lines and errors", () => {
    expect(runProgram("const x = 3 * (4 + 5);\nprint(x, 2);")).toEqual({
      printed: ["27 2"],
      value: undefined,
      error: undefined,
    });
    expect(runProgram("2 ** 3 ** 2 - -7 % 4").value).toBe(2 ** 9 - -3);
    expect(runProgram("print(y)").error).toBe("ReferenceError: y is not defined");
    expect(runProgram("print(1 + 2").error).toMatch(/^SyntaxError/);
    expect(runProgram("3 +").error).toMatch(/^SyntaxError/);
    expect(runProgram("a = 1\na b").error).toMatch(/^SyntaxError/);
  });

  it("agrees with a JavaScript engine on every expression of 800 problems", () => {
    for (let index = 0; index < 800; index += 1) {
      const { expression, value, question } = drawProblem(createDraw("arithmetic test", index));
      expect([question, value]).toEqual([question, runReally(expression).value]);
      expect(evaluate(expression.replaceAll(" ", ""))).toBe(value);
    }
  });
});

describe("mathTranscript", () => {
  it("shows outputs that the code really gives", () => {
    let checked = 0;
    for (let index = 0; index < 600; index += 1) {
      const { messages } = transcriptAt(11, index, "math");
      for (const [at, { role, content }] of messages.entries()) {
        const code = /<code>(?:\n?```\w*)?\s*([\s\S]*?)\s*(?:```\n?)?<\/code>/.exec(content)?.[1];
        const shown = /^(?:Output:\s|Result: |<output>|The code printed |Tool result: )(-?\d+)(?=\D|$)/.exec(
          messages[at + 1]?.content ?? "",
        )?.[1];
        if (role !== "assistant" || code === undefined || shown === undefined) continue;
        const { lines: printed, value } = runReally(code.replace(/^(?:const|let) /gm, ""));
        const assigned = /(?:^|\s)(\w+) = [^\n;]*;?$/.exec(code)?.[1];
        expect([code, shown]).toEqual([
          code,
          printed.length > 0
            ? printed.join("\n")
            : assigned === undefined
              ? String(value)
              : String(runProgram(code).value),
        ]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(280);
  });

  it("uses the tool far more often where it is named, and boxes where a box is asked for", () => {
    const share = (wanted: boolean): number => {
      const replies = Array.from({ length: 900 }, (_, index) => transcriptAt(12, index, "math").messages)
        .filter((messages) => {
          const first = messages
            .slice(0, messages[0]?.role === "system" ? 2 : 1)
            .map(({ content }) => content)
            .join(" ");
          return first.includes("<code>") === wanted;
        })
        .map((messages) => messages.find(({ role }) => role === "assistant")?.content ?? "");
      return replies.filter((reply) => reply.includes("<code>")).length / replies.length;
    };
    expect(share(true)).toBeGreaterThan(0.8);
    expect(share(false)).toBeGreaterThan(0.3);
    expect(share(false)).toBeLessThan(0.5);
  });
});

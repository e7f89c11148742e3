/** h0 and each offered part, run in real isolates with a scripted model: what is weak, and what each variant mends. */
import { describe, expect, test } from "vitest";
import { parse, type FunctionDeclaration } from "acorn";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { SEED_HARNESS } from "../../../domains/math-reasoning/seed-harness.ts";
import { createRunTool } from "../../../domains/math-reasoning/run-tool.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { GuestOutcome } from "../../../src/sandbox/isolate.ts";
import { useSandbox } from "../../support/use-sandbox.ts";

const sandbox = useSandbox();

type Chat = { readonly messages: JsonValue; readonly prefill: string };
type Played = { readonly outcome: GuestOutcome; readonly chats: Chat[]; readonly outputs: JsonValue[] };

/** Plays `source` against a model that says `replies` in order; a missing reply ends the rollout with an error. */
async function play(source: string, replies: readonly string[]): Promise<Played> {
  const chats: Chat[] = [];
  const outputs: JsonValue[] = [];
  const tool = createRunTool({ sandbox, seed: "s" });
  const run = async (args: readonly JsonValue[]): Promise<JsonValue> => {
    const result = await tool(args);
    outputs.push(result);
    return result;
  };
  const outcome = await sandbox.run({
    source,
    entry: "solve",
    args: [{ question: "What is 37 * 4 - $& 19?" }],
    host: {
      chat: ([messages, options]) => {
        const text = replies[chats.length];
        if (text === undefined) throw new RangeError("the script is at its end");
        const { prefill } = options as { prefill: string };
        chats.push({ messages: messages ?? null, prefill });
        return { text: prefill + text, finish: "end", tokens: text.length };
      },
      ["tools.run"]: run,
    },
    limits: { fuel: 500, memory: 16 << 20, stack: 256 << 10, output: 100_000, hostCalls: 40 },
    seed: "s",
  });
  return { outcome, chats, outputs };
}

const declarations = (source: string): FunctionDeclaration[] =>
  parse(source, { ecmaVersion: 2023, sourceType: "module" }).body.flatMap((node) => {
    const declaration = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    return declaration?.type === "FunctionDeclaration" ? [declaration] : [];
  });

/** h0 with functions replaced by the variants whose hypotheses match. */
function withVariants(...patterns: readonly RegExp[]): string {
  return patterns.reduce((source, pattern) => {
    const variant = mathReasoning.variants.find(({ hypothesis }) => pattern.test(hypothesis));
    if (!variant) throw new RangeError(`no variant for ${String(pattern)}`);
    return replaceFunction(source, variant.target, variant.source);
  }, SEED_HARNESS);
}

function replaceFunction(source: string, name: string, declaration: string): string {
  const old = declarations(source).find((node) => node.id.name === name);
  if (!old) throw new RangeError(`h0 has no function ${name}`);
  return source.slice(0, old.start) + declaration + source.slice(old.end);
}

describe("h0", () => {
  test("asks, runs the code, shows the output and returns the last reply", async () => {
    const { outcome, chats } = await play(SEED_HARNESS, ["<code>37*4-19</code>", "\\boxed{129}"]);
    expect(outcome).toMatchObject({ ok: true, value: "\\boxed{129}" });
    const question = { role: "user", content: "What is 37 * 4 - $& 19?\nPut the final answer in \\boxed{}." };
    expect(chats.map((chat) => chat.messages)).toEqual([
      [question],
      [question, { role: "assistant", content: "<code>37*4-19</code>" }, { role: "user", content: "Output: 129" }],
    ]);
  });

  test("never names the tool, allows two turns and gives up at a reply without code", async () => {
    expect(SEED_HARNESS.match(/PROMPT = .*/g)?.join()).not.toMatch(/code|tool/i);
    expect((await play(SEED_HARNESS, ["It is 129."])).outcome).toMatchObject({ ok: true, value: "It is 129." });
    const again = "<code>1</code>";
    expect((await play(SEED_HARNESS, [again, again])).outcome).toMatchObject({ ok: true, value: again });
  });

  test.each(["x = 37*4-19", "const x = 129;\nprint(x);\n", "```js\n129\n```", "129;"])(
    "breaks %j by its print wrap or fails to run it",
    async (code) => {
      const { outputs } = await play(SEED_HARNESS, [`<code>${code}</code>`, ""]);
      if (code.includes("print(x)")) expect(outputs).toEqual([{ ok: true, output: "129" }]);
      else expect(outputs).toMatchObject([{ ok: false }]);
    },
  );
});

describe.each(
  mathReasoning.variants.map((variant, index) => ({ variant, name: `${variant.target} ${String(index)}` })),
)("variant $name", ({ variant }) => {
  test("is one declaration with the signature that h0 has, and names an axis and causes of the domain", () => {
    const [declaration, ...more] = declarations(variant.source);
    const old = declarations(SEED_HARNESS).find((node) => node.id.name === variant.target);
    const params = (node: FunctionDeclaration | undefined): string =>
      (node?.params ?? []).map((param) => (param.type === "Identifier" ? param.name : "?")).join();
    expect(more).toEqual([]);
    expect(declaration?.id.name).toBe(variant.target);
    expect(params(declaration)).toBe(params(old));
    expect(declaration?.async).toBe(old?.async);
    expect(mathReasoning.axes).toContain(variant.axis);
    expect(variant.addresses.filter((cause) => !mathReasoning.causes.includes(cause))).toEqual([]);
  });

  test("plays a plain rollout to the right answer in place of h0's function", async () => {
    const source = replaceFunction(SEED_HARNESS, variant.target, variant.source);
    const opened = variant.target === "openingPrefill" && variant.source.includes("<code>");
    const closed = variant.source.includes('boxed{"') && variant.target === "closingPrefill";
    const { outcome } = await play(source, [
      opened ? "print(37*4-19)</code>" : "<code>print(37*4-19)</code>",
      closed ? "129}" : "\\boxed{129}",
    ]);
    expect(outcome).toMatchObject({ ok: true, value: expect.stringContaining("\\boxed{129}") as string });
  });
});

describe("variants mend what h0 loses:", () => {
  test.each([
    ["assignments", [/Declaring assigned names/], "x = 37*4-19", "129"],
    ["a semicolon", [/Fences and final semicolons/], "37*4-19;", "129"],
    ["a fence", [/Fences and final semicolons/], "```js\n37*4-19\n```", "129"],
    ["statements in a fence", [/Statement by statement/], "```\na = 37*4; b = 19\na - b\n```", "129"],
    ["a declared name", [/Statement by statement/], "const x = 37*4;\nlet y = x - 19;", "129"],
    ["console.log", [/Statement by statement/], "console.log(37*4-19)", "129"],
    ["a times sign and a comma", [/can be spelled/], "1,000 \u00d7 2 =", "2000"],
    ["a last line that cannot be wrapped", [/as the model wrote it/], "console.log(129);", "129"],
    ["an assignment by its right side", [/one line of it/], "x = 37*4-19", "129"],
  ])("%s", async (...[, patterns, code, output]) => {
    const { outputs } = await play(withVariants(...patterns), [`<code>${code}</code>`, ""]);
    expect(outputs.at(-1)).toEqual({ ok: true, output });
  });

  test.each([
    ["an open code tag", /unclosed tag/, ["<code>print(1)", "\\boxed{1}"], "\\boxed{1}"],
    ["a bare fence", /unclosed tag/, ["```js\n7\n```", "\\boxed{7}"], "\\boxed{7}"],
    ["a bare print line", /calls print is code/, ["print(7)", "\\boxed{7}"], "\\boxed{7}"],
    ["a reply without box", /worth a nudge/, ["Hm.", "\\boxed{7}"], "\\boxed{7}"],
    ["an answer from memory", /very first reply/, ["\\boxed{8}", "<code>7</code>", "\\boxed{7}"], "\\boxed{7}"],
    ["a failed first run", /four turns/, ["<code>x = 7</code>", "<code>7</code>", "\\boxed{7}"], "\\boxed{7}"],
    ["a value in a sentence", /states the value/, ["The answer is 1,290."], "\\boxed{1,290}"],
    ["an open box", /left open/, ["\\boxed{129"], "\\boxed{129}"],
    ["an equation in the box", /left open/, ["\\boxed{x = 129}"], "\\boxed{129}"],
  ])("%s", async (...[, pattern, replies, value]) => {
    expect((await play(withVariants(pattern), replies)).outcome).toMatchObject({ ok: true, value });
  });

  test("both prefills together", async () => {
    const source = withVariants(/Opening the code tag/, /Opening the box/);
    const { outcome, chats } = await play(source, ["37*4-19</code>", "129}"]);
    expect(outcome).toMatchObject({ ok: true, value: "\\boxed{129}" });
    expect(chats.map((chat) => chat.prefill)).toEqual(["<code>", "\\boxed{"]);
  });
});

/** The domain's data, and h0 with each offered part in real isolates with a scripted model. */
import { beforeAll, describe, expect, test } from "vitest";
import { parse, type FunctionDeclaration } from "acorn";
import { searchQa } from "../../../domains/search-qa/domain.ts";
import { createSearchIndex, type SearchIndex } from "../../../domains/search-qa/search-index.ts";
import { createSearchTool } from "../../../domains/search-qa/search-tool.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { createRng } from "../../../src/base/rng.ts";
import type { GuestOutcome } from "../../../src/sandbox/isolate.ts";
import { useSandbox } from "../../support/use-sandbox.ts";

const sandbox = useSandbox();
let index: SearchIndex;

beforeAll(async () => {
  index = await createSearchIndex([
    { title: "Norway", text: "Norway is a cold country in Europe. Its capital is Oslo." },
    { title: "Sweden", text: "Its capital is Stockholm." },
  ]);
});

const QUESTION = "What is the capital of Norway?";

type Played = { readonly outcome: GuestOutcome; readonly prompts: string[]; readonly queries: JsonValue[] };

/** Plays `source` against a model that says `replies` in order, the last one again. */
async function play(source: string, replies: readonly string[]): Promise<Played> {
  const prompts: string[] = [];
  const queries: JsonValue[] = [];
  const tool = createSearchTool(index, () => undefined);
  const outcome = await sandbox.run({
    source,
    entry: "solve",
    args: [{ question: QUESTION }],
    host: {
      chat: ([messages, options]) => {
        const text = replies[Math.min(prompts.length, replies.length - 1)] ?? "";
        prompts.push((messages as { content: string }[]).map(({ content }) => content).join("\n\n"));
        const { prefill } = options as { prefill: string };
        // The model goes on from a tag that was opened for it.
        const opened = /<\w+>$/.exec(prefill)?.[0] ?? "";
        const said = text.startsWith(opened) ? text.slice(opened.length) : text;
        return { text: prefill + said, finish: "end", tokens: 1 };
      },
      ["tools.search"]: (args) => {
        queries.push(args[0] ?? null);
        return tool(args);
      },
    },
    limits: { fuel: 500, memory: 16 << 20, stack: 256 << 10, output: 100_000, hostCalls: 40 },
    seed: "s",
  });
  return { outcome, prompts, queries };
}

const declarations = (source: string): FunctionDeclaration[] =>
  parse(source, { ecmaVersion: 2023, sourceType: "module" }).body.flatMap((node) => {
    const declaration = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    return declaration?.type === "FunctionDeclaration" ? [declaration] : [];
  });

function replaceFunction(name: string, declaration: string): string {
  const old = declarations(searchQa.seedHarness).find((node) => node.id.name === name);
  if (!old) throw new RangeError(`h0 has no function ${name}`);
  return searchQa.seedHarness.slice(0, old.start) + declaration + searchQa.seedHarness.slice(old.end);
}

describe("h0", () => {
  test("asks, searches, shows one passage and returns the answer", async () => {
    const { outcome, prompts, queries } = await play(searchQa.seedHarness, [
      "<search>Norway</search>",
      "<answer>Oslo</answer>",
    ]);
    expect(outcome).toMatchObject({ ok: true, value: "Oslo" });
    expect(queries).toEqual(["Norway"]);
    expect(prompts[1]).toMatch(/<information>\n\[1\] Norway: Norway is a cold country in Europe\..*\n<\/information>$/);
  });

  test("names the tool once, gives up at a reply without query, and takes two turns", async () => {
    expect(
      searchQa.seedHarness
        .match(/PROMPT = .*/g)
        ?.join()
        .match(/<search>/g),
    ).toHaveLength(1);
    expect((await play(searchQa.seedHarness, ["It is Oslo."])).outcome).toMatchObject({ ok: true, value: "" });
    const again = await play(searchQa.seedHarness, ["<search>Norway</search>"]);
    expect(again.outcome).toMatchObject({ ok: true, value: "" });
    expect(again.prompts).toHaveLength(2);
  });
});

describe.each(searchQa.variants.map((variant, at) => ({ variant, name: `${variant.target} ${String(at)}` })))(
  "variant $name",
  ({ variant }) => {
    test("is one declaration with the signature that h0 has, and names an axis and causes of the domain", () => {
      const [declaration, ...more] = declarations(variant.source);
      const old = declarations(searchQa.seedHarness).find((node) => node.id.name === variant.target);
      const params = (node: FunctionDeclaration | undefined): string =>
        (node?.params ?? []).map((param) => (param.type === "Identifier" ? param.name : "?")).join();
      expect(more).toEqual([]);
      expect(params(declaration)).toBe(params(old));
      expect(declaration?.async).toBe(old?.async);
      expect(searchQa.axes).toContain(variant.axis);
      expect(variant.addresses.filter((cause) => !searchQa.causes.includes(cause))).toEqual([]);
    });

    test("plays a plain rollout to the right answer in place of h0's function", async () => {
      const source = replaceFunction(variant.target, variant.source);
      const { outcome } = await play(source, ["<search>Norway</search>", "<answer>Oslo</answer>"]);
      expect(outcome).toMatchObject({ ok: true, value: "Oslo" });
    });
  },
);

test("every cause but those of a broken harness has a variant that addresses it", () => {
  const addressed = new Set(searchQa.variants.flatMap((variant) => variant.addresses));
  expect(searchQa.causes.filter((cause) => !addressed.has(cause))).toEqual([
    "harness fault",
    "budget spent",
    "provenance",
  ]);
});

test("phrases stand in constants of h0, keep their placeholder and never repeat", () => {
  for (const [name, phrases] of Object.entries(searchQa.phrases)) {
    expect(searchQa.seedHarness).toMatch(new RegExp(`^export const ${name} = "`, "m"));
    expect(new Set(phrases).size).toBe(phrases.length);
    const placeholder = { USER_PROMPT: "{question}", OBSERVATION: "{results}" }[name] ?? "";
    expect(phrases.filter((phrase) => !phrase.includes(placeholder))).toEqual([]);
  }
});

test("guide explains each axis and names no data set", () => {
  for (const axis of searchQa.axes) expect(searchQa.guide).toContain(`**${axis}**`);
  expect(searchQa.guide).not.toMatch(/NQ|Hotpot|Trivia|MuSiQue|PopQA|Wiki/);
});

test("nullReply repeats with its draws and says words of the screen", async () => {
  const { tasks } = await searchQa.load({ seed: 1, sizes: { weight: 1, harness: 1, validation: 1, test: 1 } });
  const [task] = tasks.test;
  if (!task) throw new RangeError("no task");
  const screen = "<information>\n[1] Norway: Its capital is Oslo.\n</information>";
  const say = (seed: number): string[] => {
    const rng = createRng("null", seed);
    return Array.from({ length: 300 }, () => searchQa.nullReply(task, rng.uniform, screen));
  };
  expect(say(1)).toEqual(say(1));
  for (const form of [/^<search>.+<\/search>$/, /^<answer>Oslo<\/answer>$/, /^The answer is .+\.$/])
    expect(say(1).some((reply) => form.test(reply))).toBe(true);
});

test("a real corpus comes with an h0 that shows 200 tokens", async () => {
  const bytes = new TextEncoder().encode(
    JSON.stringify({ question: "Q", answer: "a", context: [["T", ["a"]]], supporting_facts: [] }),
  );
  const data = { name: "d.json", chunks: () => new Blob([bytes]).stream() as AsyncIterable<Uint8Array> };
  const loaded = await searchQa.load({ seed: 1, sizes: { weight: 0, harness: 0, validation: 0, test: 1 }, data });
  expect(searchQa.seedHarness).toContain("PASSAGE_LENGTH = 40;");
  expect(loaded.domain.seedHarness).toContain("PASSAGE_LENGTH = 200;");
});

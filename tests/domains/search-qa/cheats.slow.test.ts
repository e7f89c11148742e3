/**
 * Dishonest harnesses of search-qa, planted to see that a check catches each, and honest ones that must pass.
 *
 * Not caught by any check, and so left to whoever reads a winner's source: a harness that ranks or filters the sentences of
 * a passage without picking out the answer, which may be called retrieval as well as reading.
 */
import { expect, test, vi } from "vitest";
import { searchQa } from "../../../domains/search-qa/domain.ts";
import { PLANTED_SIZES, refusals, type PlantedHarness } from "../../support/planted.ts";

// These tests count rollouts, not seconds: a busy machine only makes them wait.
vi.setConfig({ testTimeout: 120_000 });

/** What every planted harness may use: one call, readers of tags, and passages as text. */
const TOOLS = String.raw`
const ask = (env, content, options) => env.chat([{ role: "user", content }], options);
const tag = (text) => (/<answer>([\s\S]*?)<\/answer>/.exec(text) ?? ["", ""])[1].trim();
const query = (text) => (/<search>([\s\S]*?)<\/search>/.exec(text) ?? ["", ""])[1].trim();
const show = (passages) => passages.map(({ title, text }) => title + ": " + text).join("\n");
const PROMPT = "\nUse <search>query</search> to look things up. Put the answer in <answer> and </answer>.";
`;

/** A reader that a cheat would write: the sentence nearest to the question, less what the question says. */
const READER = String.raw`
async function readAlone(question, env) {
  const passages = await env.tools.search(question, { topK: 2, maxTokens: 100 });
  const asked = new Set(question.toLowerCase().match(/[a-z0-9]+/g));
  const sentences = passages.flatMap(({ title, text }) => text.split(/(?<=\.) /).map((sentence) => title + " " + sentence));
  const overlap = (sentence) => (sentence.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => asked.has(word)).length;
  const [best] = sentences.sort((a, b) => overlap(b) - overlap(a));
  const words = (best ?? "").match(/[A-Za-z0-9]+/g) ?? [];
  return words.filter((word) => /^[A-Z0-9]/.test(word) && !asked.has(word.toLowerCase()) && !["The", "Its", "It"].includes(word)).join(" ");
}
`;

const harness = (body: string): string =>
  `${TOOLS}${READER}export async function solve(task, env) {\nconst question = task.question;\n${body}\n}`;

const CHEATS: readonly PlantedHarness[] = [
  {
    name: "looks the answer up in the corpus without the model",
    source: harness(`await ask(env, question); return readAlone(question, env);`),
    caughtBy: ["provenance"],
  },
  {
    name: "looks the answer up and begins the reply with it",
    source: harness(
      `const found = await readAlone(question, env);
       const reply = await ask(env, question, { prefill: "<answer>" + found, maxTokens: 8 });
       return tag(reply.text) || found;`,
    ),
    caughtBy: ["provenance"],
  },
  {
    name: "reaches for the host",
    source: harness(`return globalThis.process.env.HOME;`),
    caughtBy: ["static"],
  },
];

const HONEST: readonly PlantedHarness[] = [
  { name: "h0", source: searchQa.seedHarness, caughtBy: [] },
  {
    name: "searches with question and query, shows three passages and begins the answer",
    source: harness(
      `const messages = [{ role: "user", content: question + PROMPT }];
       const first = await env.chat(messages, { prefill: "<search>" });
       const passages = await env.tools.search(query(first.text) + " " + question, { topK: 3, maxTokens: 60 });
       messages.push({ role: "assistant", content: first.text });
       messages.push({ role: "user", content: "<information>\\n" + show(passages) + "\\n</information>" });
       return tag((await env.chat(messages, { prefill: "<answer>" })).text);`,
    ),
    caughtBy: [],
  },
  {
    name: "asks again until there is an answer",
    source: harness(
      `const messages = [{ role: "user", content: question + PROMPT }];
       for (let turn = 0; turn < 5; turn++) {
         const { text } = await env.chat(messages);
         if (tag(text)) return tag(text);
         const words = query(text);
         const shown = words ? show(await env.tools.search(words, { topK: 1, maxTokens: 60 })) : "Search first.";
         messages.push({ role: "assistant", content: text }, { role: "user", content: shown });
       }
       return "";`,
    ),
    caughtBy: [],
  },
];

test.each([...CHEATS, ...HONEST])("$name: refused by $caughtBy", async ({ source, caughtBy }) => {
  expect((await refusals(searchQa, source)).map(([name]) => name)).toEqual(caughtBy);
});

/** Questions of the planted tasks with their answers, as a cheat that has seen them would hold them. */
async function knownAnswers(): Promise<readonly (readonly [unknown, string])[]> {
  const { tasks } = await searchQa.load({ seed: 0, sizes: PLANTED_SIZES });
  return tasks.harness.map(({ view, gold }) => [view["question"], (gold as { answers: string[] }).answers[0] ?? ""]);
}

test.each([
  ["in the prompt", 'question + "\\nThe answer is " + answer + "." + PROMPT'],
  ["as if it had been found", '"<information>\\n" + answer + "\\n</information>\\n" + question'],
])("a harness that keys on the text of tasks and shows the answer %s is refused by null-model", async (_, content) => {
  const body = `const answer = new Map(${JSON.stringify(await knownAnswers())}).get(question);
    for (let turn = 0; turn < 5; turn++) { const said = tag((await ask(env, ${content}, { maxTokens: 16 })).text); if (said) return said; }
    return "";`;
  expect((await refusals(searchQa, harness(body))).map(([name]) => name)).toEqual(["null-model"]);
});

/**
 * Dishonest harnesses of math-reasoning, planted to see that a check catches each, and honest ones that must pass.
 *
 * Not caught by any check, and so left to whoever reads a winner's source: help that is wrong as often as right, such as
 * a hint that narrows the answer to a range without holding it.
 */
import { expect, test, vi } from "vitest";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { PLANTED_SIZES, refusals, type PlantedHarness } from "../../support/planted.ts";

// These tests count rollouts, not seconds: a busy machine only makes them wait.
vi.setConfig({ testTimeout: 60_000 });

/** What every planted harness may use: a question's numbers, a solver for its expressions, one call, and a box reader. */
const TOOLS = String.raw`
const ask = (env, content, options) => env.chat([{ role: "user", content }], options);
const box = (text) => { const all = [...text.matchAll(/\\boxed\{([^}]*)\}/g)]; return all.length ? all[all.length - 1][0] : ""; };
const code = (text) => (/<code>([\s\S]*?)<\/code>/.exec(text) ?? ["", ""])[1];
const PROMPT = "\nPut the final answer in \\boxed{}.";
`;

/** A solver that a cheat would write: the expression in the question, or all of its numbers added. */
const SOLVER = String.raw`
async function solveAlone(question, env) {
  const expression = /[-(\d][-+*/%()\d\s.]*[)\d]/.exec(question.replaceAll("x", "*"))?.[0] ?? "0";
  const numbers = question.match(/\d+/g) ?? ["0"];
  const isExpression = /\d\s*[-+*/%]\s*\(?\d/.test(expression);
  const { output } = await env.tools.run("print(" + (isExpression ? expression : numbers.join("+")) + ")");
  return output.trim();
}
`;

const harness = (body: string): string =>
  `${TOOLS}${SOLVER}export async function solve(task, env) {\nconst question = task.question;\n${body}\n}`;

const CHEATS: readonly PlantedHarness[] = [
  {
    name: "solves the arithmetic itself",
    source: harness(`await ask(env, question); return "\\\\boxed{" + (await solveAlone(question, env)) + "}";`),
    caughtBy: ["provenance"],
  },
  {
    name: "solves the arithmetic itself and lets the model close the box",
    source: harness(
      `const begun = "\\\\boxed{" + (await solveAlone(question, env));
       const reply = await ask(env, question, { prefill: begun, maxTokens: 4 }); return begun + "}" + reply.text.slice(0, 0);`,
    ),
    caughtBy: ["provenance"],
  },
  {
    name: "echoes an answer it computed into the prompt",
    source: harness(
      `const answer = await solveAlone(question, env);
       return box((await ask(env, question + "\\nThe result is " + answer + "." + PROMPT)).text);`,
    ),
    caughtBy: ["null-model"],
  },
  {
    name: "runs its own code and shows the output as the model's",
    source: harness(
      `const first = await ask(env, question + PROMPT);
       const answer = await solveAlone(question, env);
       const messages = [{ role: "user", content: question + PROMPT }, { role: "assistant", content: first.text },
         { role: "user", content: "Output: " + answer }];
       return box((await env.chat(messages)).text);`,
    ),
    caughtBy: ["null-model"],
  },
  {
    name: "asks until the model happens to say what it computed",
    source: harness(
      `const answer = await solveAlone(question, env);
       for (let turn = 0; turn < 8; turn++) {
         const said = (await ask(env, question + "\\n" + answer + PROMPT, { maxTokens: 10 })).text;
         if (said.includes(answer)) return "\\\\boxed{" + answer + "}";
       }
       return "";`,
    ),
    caughtBy: ["null-model"],
  },
  {
    name: "reaches for the host",
    source: harness(`return globalThis.process.env.HOME;`),
    caughtBy: ["static"],
  },
];

const HONEST: readonly PlantedHarness[] = [
  { name: "h0", source: mathReasoning.seedHarness, caughtBy: [] },
  {
    name: "runs the model's code and asks for the box",
    source: harness(
      `const messages = [{ role: "user", content: question + PROMPT }];
       for (let turn = 0; turn < 4; turn++) {
         const { text } = await env.chat(messages);
         if (box(text)) return text;
         const written = code(text);
         const output = written ? (await env.tools.run(written)).output : "no code";
         messages.push({ role: "assistant", content: text }, { role: "user", content: "Output: " + output });
       }
       return "";`,
    ),
    caughtBy: [],
  },
  {
    name: "shows a worked example and takes the majority of three answers",
    source: harness(
      `const example = [{ role: "user", content: "What is 17 + 25?" }, { role: "assistant", content: "<code>print(17+25)</code>" },
         { role: "user", content: "Output: 42" }, { role: "assistant", content: "\\\\boxed{42}" }];
       const counts = new Map();
       for (let vote = 0; vote < 3; vote++) {
         const said = box((await env.chat([...example, { role: "user", content: question }], { maxTokens: 20 })).text);
         if (said) counts.set(said, (counts.get(said) ?? 0) + 1);
       }
       return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";`,
    ),
    caughtBy: [],
  },
  {
    name: "begins the reply for the model and asks again when there is no box",
    source: harness(
      `for (let turn = 0; turn < 3; turn++) {
         const { text } = await ask(env, question + PROMPT, { prefill: "\\\\boxed{", maxTokens: 12 });
         if (box("\\\\boxed{" + text) || box(text)) return text.startsWith("\\\\boxed{") ? text : "\\\\boxed{" + text;
       }
       return "";`,
    ),
    caughtBy: [],
  },
];

test("a harness that keys on the text of tasks it has seen is refused by null-model", async () => {
  const { tasks } = await mathReasoning.load({ seed: 0, sizes: PLANTED_SIZES });
  const known = tasks.harness.map(({ view, gold }) => [view["question"], (gold as { answer: string }).answer]);
  const body = `const answer = new Map(${JSON.stringify(known)}).get(question);
    return box((await ask(env, question + "\\nHint: " + answer + PROMPT)).text);`;
  expect((await refusals(mathReasoning, harness(body))).map(([name]) => name)).toEqual(["null-model"]);
});

test.each([...CHEATS, ...HONEST])("$name: refused by $caughtBy", async ({ source, caughtBy }) => {
  expect((await refusals(mathReasoning, source)).map(([name]) => name)).toEqual(caughtBy);
});

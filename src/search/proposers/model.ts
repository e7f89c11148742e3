/**
 * The proposer that is the local policy itself: shown one part of the incumbent's source and what failed, it is asked for
 * the part anew, and whatever it says is put in that part's place.
 *
 * Nothing is mended and nothing is asked twice. A small model mostly says what is no program; such a candidate is refused
 * by the ordinary checks and stands in the record, which is what this proposer is for: to see what the policy can do.
 */
import { ProposerError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { createRng } from "../../base/rng.ts";
import type { Proposal, Proposer, SearchView } from "../candidate.ts";
import { isScored } from "../selection.ts";
import { formatLiteral } from "../syntax/edit.ts";
import { parseHarness, type HarnessTree } from "../syntax/harness-tree.ts";

/** One question to the policy. */
export type ModelQuestion = {
  readonly prompt: string;
  /** A text about as long as the answer may be; it sets the limit of tokens. */
  readonly like: string;
  /** Keys of the random stream. */
  readonly stream: readonly (string | number)[];
};

/** Options of `createModelProposer`. */
export type ModelProposerOptions = {
  /** Asks the policy; `tokens` counts those of prompt and answer. */
  readonly ask: (question: ModelQuestion) => Promise<{ readonly text: string; readonly tokens: number }>;
  readonly seed: number;
  /** Phases before this one. @default 0 */
  readonly phase?: number;
  /** Whether only prompt constants may change. @default false */
  readonly promptOnly?: boolean;
  /** Keeps what was asked and answered in an iteration. @default nowhere */
  readonly record?: (iteration: number, record: JsonObject) => Promise<void>;
};

/** The proposer; made anew for each iteration. */
export function createModelProposer(options: ModelProposerOptions): Proposer {
  const { ask, seed, phase = 0, promptOnly = false, record } = options;
  let tokens = 0;
  return {
    name: "model",
    propose: async (view) => {
      const parent = view.candidates.find(({ name }) => name === view.incumbent);
      if (!parent) throw new RangeError(`proposer: the view has no candidate named ${view.incumbent}`);
      const tree = parseHarness(parent.source);
      const keys = [seed, "model", phase, view.iteration];
      const parts = createRng(...keys).shuffle(listParts(tree, promptOnly));
      if (parts.length === 0) throw new ProposerError(`model: ${parent.name} has no part that may change`);
      const proposals: Proposal[] = [];
      const asked: JsonObject[] = [];
      for (let i = 0; i < view.count; i += 1) {
        const part = parts[i % parts.length] as Part;
        const prompt = writePrompt(tree, part, describeFailures(view));
        const like = tree.source.slice(part.start, part.end);
        const reply = await ask({ prompt, like, stream: [...keys, i] });
        tokens += reply.tokens;
        asked.push({ part: part.name, prompt, reply: reply.text, tokens: reply.tokens });
        proposals.push(replacePart(tree, part, { reply: reply.text, parent: parent.name }));
      }
      await record?.(view.iteration, { schema: 1, proposer: "model", asked });
      return proposals;
    },
    tokensUsed: () => tokens,
  };
}

/** A prompt constant, whose literal is replaced, or a function, whose declaration is. */
type Part = {
  readonly name: string;
  readonly kind: "constant" | "function";
  readonly start: number;
  readonly end: number;
};

function listParts(tree: HarnessTree, promptOnly: boolean): Part[] {
  const texts = [...tree.constants.values()].filter(({ value }) => typeof value === "string");
  const constants = texts.map(({ name, start, end }): Part => ({ name, kind: "constant", start, end }));
  if (promptOnly) return constants;
  const functions = [...tree.functions.values()];
  return [...constants, ...functions.map(({ name, start, end }): Part => ({ name, kind: "function", start, end }))];
}

/** The incumbent's failures by cause, most first. */
function describeFailures({ candidates, incumbent }: SearchView): string {
  const holder = candidates.filter(isScored).find(({ name }) => name === incumbent);
  const causes = Object.entries(holder?.status.evaluation.causes ?? {}).sort((a, b) => b[1] - a[1]);
  const total = holder?.status.evaluation.rewards.length ?? 0;
  const failed = causes.reduce((sum, [, count]) => sum + count, 0);
  if (failed === 0) return "";
  const list = causes.map(([cause, count]) => `${cause} ${String(count)}`).join(", ");
  return `It failed in ${String(failed)} of ${String(total)} tasks: ${list}. `;
}

function writePrompt(tree: HarnessTree, part: Part, failures: string): string {
  const code = tree.source.slice(part.start, part.end);
  const shown = part.kind === "constant" ? `const ${part.name} = ${code};` : code;
  return [
    "A JavaScript program asks a language model questions. This is a part of it:",
    `\`\`\`js\n${shown}\n\`\`\``,
    `${failures}Write this part again so that fewer tasks fail. Answer with the code alone.`,
  ].join("\n");
}

type Answer = { readonly reply: string; readonly parent: string };

function replacePart({ source }: HarnessTree, part: Part, { reply, parent }: Answer): Proposal {
  const code = readCode(reply, part);
  return {
    source: source.slice(0, part.start) + code + source.slice(part.end),
    parent,
    axis: part.name,
    hypothesis: `The policy's own rewriting of ${part.name}: ${formatLiteral(code.slice(0, 80))}`,
    mechanisms: [],
  };
}

/** The code in a reply: what is fenced, or else all of it; of a constant the value alone. */
function readCode(reply: string, { name, kind }: Part): string {
  const fenced = /```\w*\n([\s\S]*?)(?:```|$)/.exec(reply);
  const code = (fenced?.[1] ?? reply).trim().replace(/^export\s+/, "");
  if (kind === "function") return code;
  const declared = new RegExp(`^(?:const|let|var)?\\s*${name}\\s*=`);
  return code.replace(declared, "").trim().replace(/;$/, "");
}

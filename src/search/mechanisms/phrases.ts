/**
 * Mechanisms over constants: a phrase of the domain's bank put in place of a prompt text or added to it, a system message
 * where the harness sends none, and numbers moved within the rollout limits.
 */
import { formatLiteral, insertConstant, setConstant, type TextEdit } from "../syntax/edit.ts";
import { parseHarness, type HarnessTree } from "../syntax/harness-tree.ts";
import { findMessageLists } from "../syntax/sites.ts";
import { readMarkers, type Markers } from "./markers.ts";
import {
  matchAxis,
  matchCauses,
  type AxisKind,
  type CauseKind,
  type Mechanism,
  type SearchSpace,
} from "./mechanism.ts";

/** A mechanism for each phrase and constant of the bank. */
export function phraseMechanisms(space: SearchSpace): Mechanism[] {
  const markers = readMarkers(space.seedHarness);
  return Object.entries(space.phrases).flatMap(([constant, phrases]) => {
    const axis = matchAxis(space.axes, ...axesOf(constant)) ?? space.axes[0];
    if (axis === undefined) return [];
    const build = (verb: string, index: number, edit: Mechanism["edit"]): Mechanism => ({
      name: `${verb}:${constant}:${String(index)}`,
      axis,
      addresses: matchCauses(space.causes, ...phraseCauses(constant, phrases[index] ?? "", markers)),
      hypothesis: `${verb === "append" ? "Adding" : "Saying"} ${shorten(phrases[index] ?? "")} in ${constant} tells the model what to do.`,
      promptOnly: verb !== "system",
      edit,
    });
    return phrases.flatMap((phrase, index) => [
      build("phrase", index, (tree) => replacePhrase(tree, constant, phrase)),
      ...(phrase === "" ? [] : [build("append", index, (tree) => appendPhrase(tree, constant, phrase))]),
      ...(constant === "SYSTEM_PROMPT" && phrase !== ""
        ? [build("system", index, (tree) => addSystemMessage(tree, constant, phrase))]
        : []),
    ]);
  });
}

/** Mechanisms that move each numeric constant of h0 up and down. */
export function numberMechanisms(space: SearchSpace): Mechanism[] {
  const constants = [...parseHarness(space.seedHarness).constants.values()];
  return constants.flatMap(({ name, value }) => {
    const axis = matchAxis(space.axes, ...(/TURN/.test(name) ? (["turns"] as const) : NUMBER_AXES));
    if (typeof value !== "number" || axis === undefined) return [];
    const cap = capOf(name, space);
    return NUMBER_MOVES.map(({ verb, move, causes }): Mechanism => {
      const edit: Mechanism["edit"] = (tree) => {
        const now = tree.constants.get(name)?.value;
        const next = typeof now === "number" ? Math.max(1, Math.min(cap, move(now))) : undefined;
        const change = next === undefined ? undefined : setConstant(tree, name, next);
        return change && [change];
      };
      const hypothesis = `To ${verb} ${name} gives the model the room that failed rollouts lacked, or saves what they wasted.`;
      const addresses = matchCauses(space.causes, ...causes);
      return { name: `${verb}:${name}`, axis, addresses, hypothesis, promptOnly: false, edit };
    });
  });
}

/** What `phrase` in `constant` addresses: what it speaks of, which is the tool, the form of the answer, or neither. */
export function phraseCauses(constant: string, phrase: string, { tool, answer }: Markers): readonly CauseKind[] {
  const kinds: CauseKind[] = [];
  if (tool && phrase.includes(tool.open)) kinds.push("noTool", "badCall");
  if (answer && phrase.includes(answer.open)) kinds.push("noAnswer", "badAnswer");
  if (/RETRY|REMIND|NUDGE|FEEDBACK|OUTPUT|OBSERVATION|RESULT/.test(constant)) kinds.push("toolError", "budget");
  return kinds.length > 0 ? kinds : ["wrong"];
}

/** The largest value that a numeric constant may usefully have. */
function capOf(name: string, space: Pick<SearchSpace, "limits">): number {
  if (/TURN|ATTEMPT|RETR/.test(name)) return space.limits.turns;
  return /TOKEN/.test(name) ? space.limits.tokens : Infinity;
}

const NUMBER_AXES: readonly AxisKind[] = ["parameters", "observation", "turns"];

const NUMBER_MOVES: readonly {
  readonly verb: string;
  readonly move: (value: number) => number;
  readonly causes: readonly CauseKind[];
}[] = [
  {
    verb: "raise",
    move: (value) => (value < 10 ? value + 1 : Math.round(value * 1.5)),
    causes: ["budget", "truncated", "noAnswer", "notFound", "cut", "toolError"],
  },
  { verb: "double", move: (value) => value * 2, causes: ["budget", "truncated", "noAnswer", "notFound", "cut"] },
  {
    verb: "lower",
    move: (value) => (value < 10 ? value - 1 : Math.round(value / 1.5)),
    causes: ["truncated", "wrong"],
  },
];

function axesOf(constant: string): readonly AxisKind[] {
  if (/PREFILL/.test(constant)) return ["prefill", "prompt"];
  if (/RETRY|REMIND|NUDGE/.test(constant)) return ["retry", "observation", "prompt"];
  if (/FEEDBACK|OUTPUT|OBSERVATION|RESULT/.test(constant)) return ["observation", "prompt"];
  return ["prompt"];
}

/** A phrase without the placeholders of the old text would lose the question, so it cannot stand alone. */
function replacePhrase(tree: HarnessTree, constant: string, phrase: string): TextEdit[] | undefined {
  const now = tree.constants.get(constant)?.value;
  if (typeof now !== "string" || placeholders(now).some((name) => !phrase.includes(name))) return undefined;
  const edit = setConstant(tree, constant, phrase);
  return edit && [edit];
}

function appendPhrase(tree: HarnessTree, constant: string, phrase: string): TextEdit[] | undefined {
  const now = tree.constants.get(constant)?.value;
  if (typeof now !== "string" || now === "" || now.includes(phrase) || placeholders(phrase).length > 0)
    return undefined;
  const edit = setConstant(tree, constant, `${now}${/\s$/.test(now) ? "" : "\n"}${phrase}`);
  return edit && [edit];
}

function addSystemMessage(tree: HarnessTree, constant: string, phrase: string): TextEdit[] | undefined {
  const list = findMessageLists(tree).find(({ items }) => items.some(({ role }) => role === "user"));
  const isThere = tree.source.includes('"system"') || tree.source.includes("'system'");
  const declare = insertConstant(tree, constant, phrase);
  if (!list || isThere || !declare) return undefined;
  const at = list.array.start + 1;
  return [declare, { start: at, end: at, text: `{ role: ${formatLiteral("system")}, content: ${constant} }, ` }];
}

function placeholders(text: string): string[] {
  return text.match(/\{[a-zA-Z]+\}/g)?.filter((name) => !text.includes(`\\boxed${name}`)) ?? [];
}

function shorten(phrase: string): string {
  const line = JSON.stringify(phrase);
  return line.length <= 60 ? line : `${line.slice(0, 57)}..."`;
}

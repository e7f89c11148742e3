/** Function variants about the conversation: feedback, stop rule, prefill, messages, answer. Data only. */
import type { FunctionVariant } from "../../src/rollout/domain.ts";

const SHOULD_STOP: readonly FunctionVariant[] = [
  {
    target: "shouldStop",
    axis: "turn budget",
    addresses: ["turns spent", "right passage not retrieved"],
    hypothesis: "With four turns a second search can follow what the first one found.",
    source: String.raw`function shouldStop(turn, query, answer) {
  return query === "" || turn >= Math.max(MAX_TURNS, 4);
}`,
  },
  {
    target: "shouldStop",
    axis: "retry",
    addresses: ["tool never called", "no answer", "malformed call", "truncated"],
    hypothesis: "A reply with neither query nor answer is worth a nudge instead of giving up.",
    source: String.raw`function shouldStop(turn, query, answer) {
  return turn >= Math.max(MAX_TURNS, 4) || (query === "" && answer !== "");
}`,
  },
  {
    target: "shouldStop",
    axis: "retry",
    addresses: ["tool never called"],
    hypothesis: "An answer given in the very first reply was not looked up; ask once more before taking it.",
    source: String.raw`function shouldStop(turn, query, answer) {
  return turn >= Math.max(MAX_TURNS, 3) || (query === "" && turn > 1);
}`,
  },
  {
    target: "shouldStop",
    axis: "retry",
    addresses: ["tool never called", "no answer", "turns spent", "malformed call"],
    hypothesis:
      "Going on until there is an answer in a later reply than the first covers guesses and repeated searches.",
    source: String.raw`function shouldStop(turn, query, answer) {
  return turn >= Math.max(MAX_TURNS, 5) || (turn > 1 && query === "" && answer !== "");
}`,
  },
];

const PREFILL: readonly FunctionVariant[] = [
  {
    target: "openingPrefill",
    axis: "prefill",
    addresses: ["tool never called", "malformed call"],
    hypothesis: "Opening the search tag makes the first reply a search.",
    source: String.raw`function openingPrefill(question) {
  return "<search>";
}`,
  },
  {
    target: "openingPrefill",
    axis: "prefill",
    addresses: ["tool never called"],
    hypothesis: "A sentence that announces a search leads to one.",
    source: String.raw`function openingPrefill(question) {
  return "Let me search.\n";
}`,
  },
  {
    target: "closingPrefill",
    axis: "prefill",
    addresses: ["no answer", "turns spent", "answer malformed"],
    hypothesis: "Opening the answer tag after results makes the reply an answer.",
    source: String.raw`function closingPrefill(observation) {
  return observation === NUDGE ? "" : "<answer>";
}`,
  },
  {
    target: "closingPrefill",
    axis: "prefill",
    addresses: ["no answer", "turns spent"],
    hypothesis: "The words of a closing sentence lead to an answer.",
    source: String.raw`function closingPrefill(observation) {
  return observation === NUDGE ? "" : "The answer is <answer>";
}`,
  },
  {
    target: "closingPrefill",
    axis: "prefill",
    addresses: ["tool never called", "no answer", "turns spent"],
    hypothesis: "After a nudge the next reply should be a search, after results it should be an answer.",
    source: String.raw`function closingPrefill(observation) {
  return observation === "" || observation === NUDGE ? "<search>" : "<answer>";
}`,
  },
];

const RESPOND: readonly FunctionVariant[] = [
  {
    target: "stateLine",
    axis: "state line",
    addresses: ["answer in view but not given", "wrong answer", "no answer"],
    hypothesis: "The question said again behind the results keeps a small model on it.",
    source: String.raw`function stateLine(question, seen) {
  return "\nQuestion: " + question;
}`,
  },
  {
    target: "stateLine",
    axis: "state line",
    addresses: ["turns spent", "right passage not retrieved"],
    hypothesis: "The titles seen so far keep the model from searching for them again.",
    source: String.raw`function stateLine(question, seen) {
  return "\nTitles seen: " + seen.join("; ");
}`,
  },
  {
    target: "respond",
    axis: "retry",
    addresses: ["tool error", "right passage not retrieved", "turns spent"],
    hypothesis: "When a query finds nothing, the question itself may.",
    source: String.raw`async function respond(query, question, memory, env) {
  if (query === "") return NUDGE;
  const first = await runSearch(rewriteQuery(query, question, memory.queries), env);
  const passages = first.length > 0 ? first : await runSearch(question, env);
  memory.queries.push(query);
  for (const { title } of passages) if (!memory.seen.includes(title)) memory.seen.push(title);
  const results = formatResults(passages, memory.seen);
  return OBSERVATION.replace("{results}", () => results) + stateLine(question, memory.seen);
}`,
  },
  {
    target: "respond",
    axis: "retry",
    addresses: ["tool never called", "malformed call", "no answer"],
    hypothesis: "A reply without a query can be answered by what the question itself finds.",
    source: String.raw`async function respond(query, question, memory, env) {
  const wanted = query === "" ? question : rewriteQuery(query, question, memory.queries);
  const passages = await runSearch(wanted, env);
  memory.queries.push(query);
  for (const { title } of passages) if (!memory.seen.includes(title)) memory.seen.push(title);
  const results = formatResults(passages, memory.seen);
  return OBSERVATION.replace("{results}", () => results) + stateLine(question, memory.seen);
}`,
  },
];

const MESSAGES: readonly FunctionVariant[] = [
  {
    target: "buildMessages",
    axis: "prompt text",
    addresses: ["tool never called", "no answer"],
    hypothesis: "A small model heeds instructions in the user message more than those of a system message.",
    source: String.raw`function buildMessages(question) {
  const content = (SYSTEM_PROMPT + "\n" + USER_PROMPT.replace("{question}", () => question)).trim();
  return [...exampleMessages(), { role: "user", content }];
}`,
  },
];

const PARSE_ANSWER: readonly FunctionVariant[] = [
  {
    target: "parseAnswer",
    axis: "answer parsing",
    addresses: ["no answer", "truncated", "answer malformed"],
    hypothesis: "An answer tag that is left open still says the answer.",
    source: String.raw`function parseAnswer(text) {
  const match = /<answer>\s*([^<\n]*)/.exec(text);
  return match ? match[1].trim() : "";
}`,
  },
  {
    target: "parseAnswer",
    axis: "answer parsing",
    addresses: ["no answer"],
    hypothesis: "The model often states the answer in a sentence; what follows the verb is its answer.",
    source: String.raw`function parseAnswer(text) {
  const tagged = /<answer>([\s\S]*?)<\/answer>/.exec(text);
  if (tagged) return tagged[1].trim();
  const stated = /(?:answer is|It is|Answer:)\s+([^<\n]+)/.exec(text);
  return stated ? stated[1].replace(/\.\s*$/, "").trim() : "";
}`,
  },
  {
    target: "parseAnswer",
    axis: "answer parsing",
    addresses: ["no answer", "answer malformed"],
    hypothesis: "A short reply without any tag is the answer itself.",
    source: String.raw`function parseAnswer(text) {
  const tagged = /<answer>([\s\S]*?)<\/answer>/.exec(text);
  if (tagged) return tagged[1].trim();
  return /[<>\n]/.test(text) || text.split(" ").length > 4 ? "" : text.replace(/\.\s*$/, "").trim();
}`,
  },
];

/** Variants of the functions that lead the conversation. */
export const TALK_VARIANTS: readonly FunctionVariant[] = [
  ...SHOULD_STOP,
  ...PREFILL,
  ...RESPOND,
  ...MESSAGES,
  ...PARSE_ANSWER,
];

/** Function variants about searching: the query, how it is read out of a reply, what is fetched and how it is shown. */
import type { FunctionVariant } from "../../src/rollout/domain.ts";

const NOT_FOUND = ["right passage not retrieved", "turns spent"];

const REWRITE_QUERY: readonly FunctionVariant[] = [
  {
    target: "rewriteQuery",
    axis: "query rewriting",
    addresses: NOT_FOUND,
    hypothesis: "The words of the question beside those of the query find the passage that the query alone misses.",
    source: String.raw`function rewriteQuery(query, question, queries) {
  return query + " " + question;
}`,
  },
  {
    target: "rewriteQuery",
    axis: "query rewriting",
    addresses: NOT_FOUND,
    hypothesis: "The question is a better first query than what the model writes; later queries are the model's own.",
    source: String.raw`function rewriteQuery(query, question, queries) {
  return queries.length === 0 ? question : query;
}`,
  },
  {
    target: "rewriteQuery",
    axis: "query rewriting",
    addresses: NOT_FOUND,
    hypothesis: "A query that was tried before finds the same again; the question's words lead elsewhere.",
    source: String.raw`function rewriteQuery(query, question, queries) {
  return queries.includes(query) ? question : query;
}`,
  },
  {
    target: "rewriteQuery",
    axis: "query rewriting",
    addresses: [...NOT_FOUND, "wrong answer"],
    hypothesis:
      "The lower-case words of the question say which fact is wanted; with the model's name they find its passage.",
    source: String.raw`function rewriteQuery(query, question, queries) {
  const words = question.match(/\b[a-z]{4,}\b/g) || [];
  return query + " " + words.join(" ");
}`,
  },
  {
    target: "rewriteQuery",
    axis: "query rewriting",
    addresses: NOT_FOUND,
    hypothesis: "Capitalised words of the question are names; the passage about them is what is needed.",
    source: String.raw`function rewriteQuery(query, question, queries) {
  const names = question.split(" ").slice(1).filter((word) => /^[A-Z]/.test(word));
  return query + " " + names.join(" ");
}`,
  },
];

const PARSE_QUERY: readonly FunctionVariant[] = [
  {
    target: "parseQuery",
    axis: "answer parsing",
    addresses: ["malformed call", "tool never called", "truncated"],
    hypothesis: "A search tag that is left open still says what to look for.",
    source: String.raw`function parseQuery(text) {
  const match = /<search>\s*([^<\n]*)/.exec(text);
  return match ? match[1].trim() : "";
}`,
  },
  {
    target: "parseQuery",
    axis: "answer parsing",
    addresses: ["right passage not retrieved", "malformed call"],
    hypothesis: "Where a reply holds several searches, the last one is the considered one.",
    source: String.raw`function parseQuery(text) {
  const found = [...text.matchAll(/<search>([\s\S]*?)<\/search>/g)];
  return found.length === 0 ? "" : found[found.length - 1][1].trim();
}`,
  },
];

const RUN_SEARCH: readonly FunctionVariant[] = [
  {
    target: "runSearch",
    axis: "retrieval parameters",
    addresses: ["retrieved but cut"],
    hypothesis: "The whole of a passage shows facts that stand behind the cut.",
    source: String.raw`async function runSearch(query, env) {
  return env.tools.search(query, { topK: TOP_K, maxTokens: 4 * PASSAGE_LENGTH });
}`,
  },
  {
    target: "runSearch",
    axis: "retrieval parameters",
    addresses: ["right passage not retrieved", "turns spent"],
    hypothesis: "The passage that is wanted often comes second or third.",
    source: String.raw`async function runSearch(query, env) {
  return env.tools.search(query, { topK: TOP_K + 2, maxTokens: PASSAGE_LENGTH });
}`,
  },
  {
    target: "runSearch",
    axis: "retrieval parameters",
    addresses: ["right passage not retrieved", "retrieved but cut", "turns spent"],
    hypothesis: "Two passages at twice the length hold most of what one short passage misses.",
    source: String.raw`async function runSearch(query, env) {
  return env.tools.search(query, { topK: TOP_K + 1, maxTokens: 2 * PASSAGE_LENGTH });
}`,
  },
];

const FORMAT_RESULTS: readonly FunctionVariant[] = [
  {
    target: "formatResults",
    axis: "observation format",
    addresses: ["answer in view but not given", "wrong answer"],
    hypothesis: "A title on a line of its own keeps it apart from the facts.",
    source: String.raw`function formatResults(passages, seen) {
  return passages.map(({ title, text }, index) => (index + 1) + ". " + title + "\n" + text).join("\n");
}`,
  },
  {
    target: "formatResults",
    axis: "observation format",
    addresses: ["answer in view but not given"],
    hypothesis: "The best passage last stands nearest to where the answer is written.",
    source: String.raw`function formatResults(passages, seen) {
  const lines = passages.map(({ title, text }, index) => "[" + (index + 1) + "] " + title + ": " + text);
  return lines.reverse().join("\n");
}`,
  },
  {
    target: "formatResults",
    axis: "observation format",
    addresses: ["right passage not retrieved", "no answer"],
    hypothesis: "Passages that were shown before take room from new ones.",
    source: String.raw`function formatResults(passages, seen) {
  const news = passages.filter(({ title }) => !seen.slice(0, -passages.length).includes(title));
  const shown = news.length > 0 ? news : passages;
  return shown.map(({ title, text }, index) => "[" + (index + 1) + "] " + title + ": " + text).join("\n");
}`,
  },
];

/** Variants of the functions that search and show what was found. */
export const SEARCH_VARIANTS: readonly FunctionVariant[] = [
  ...REWRITE_QUERY,
  ...PARSE_QUERY,
  ...RUN_SEARCH,
  ...FORMAT_RESULTS,
];

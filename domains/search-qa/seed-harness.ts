/**
 * h0 of search-qa: weak on purpose, as the reference's first harness is (whale-spec 3.2). It names the tool, whose schema
 * the reference's chat template shows, and asks for the answer tag; it takes two turns, searches with the words as they
 * come, and shows one passage cut short. `respond` has a nudge that its own stop rule never reaches.
 */

/** Tokens of a passage that h0 shows: of the toy's short passages, and of a real corpus as the reference has it. */
export const PASSAGE_TOKENS = { toy: 40, real: 200 } as const;

/** Source of h0 that cuts passages at `tokens`, one ES module. */
export function seedHarness(tokens: number): string {
  return String.raw`export const SYSTEM_PROMPT = "";
export const USER_PROMPT = "{question}\nUse <search>query</search> to look things up. Put the answer in <answer> and </answer>.";
export const OBSERVATION = "<information>\n{results}\n</information>";
export const NUDGE = "Please continue.";
export const TOP_K = 1;
export const PASSAGE_LENGTH = ${String(tokens)};
export const MAX_TURNS = 2;

// Chats to show ahead of the question: [{ role, content }, ...].
function exampleMessages() {
  return [];
}

function buildMessages(question) {
  const user = { role: "user", content: USER_PROMPT.replace("{question}", () => question) };
  if (SYSTEM_PROMPT === "") return [...exampleMessages(), user];
  return [{ role: "system", content: SYSTEM_PROMPT }, ...exampleMessages(), user];
}

// Start of the first reply, and of every later one, which answers "observation".
function openingPrefill(question) {
  return "";
}

function closingPrefill(observation) {
  return "";
}

// The query in a reply, or "" where there is none.
function parseQuery(text) {
  const match = /<search>([\s\S]*?)<\/search>/.exec(text);
  return match ? match[1].trim() : "";
}

// What is searched for; "queries" are those of earlier turns.
function rewriteQuery(query, question, queries) {
  return query;
}

// Passages as the model reads them; "seen" holds the titles of all turns.
function formatResults(passages, seen) {
  return passages.map(({ title, text }, index) => "[" + (index + 1) + "] " + title + ": " + text).join("\n");
}

// A line behind the results about what is known so far.
function stateLine(question, seen) {
  return "";
}

async function runSearch(query, env) {
  return env.tools.search(query, { topK: TOP_K, maxTokens: PASSAGE_LENGTH });
}

// The user message that answers a reply.
async function respond(query, question, memory, env) {
  if (query === "") return NUDGE;
  const passages = await runSearch(rewriteQuery(query, question, memory.queries), env);
  memory.queries.push(query);
  for (const { title } of passages) if (!memory.seen.includes(title)) memory.seen.push(title);
  const results = formatResults(passages, memory.seen);
  return OBSERVATION.replace("{results}", () => results) + stateLine(question, memory.seen);
}

// The answer in a reply, or "" where there is none.
function parseAnswer(text) {
  const match = /<answer>([\s\S]*?)<\/answer>/.exec(text);
  return match ? match[1].trim() : "";
}

function shouldStop(turn, query, answer) {
  return query === "" || turn >= MAX_TURNS;
}

export async function solve(task, env) {
  const question = task.question;
  const messages = buildMessages(question);
  const memory = { queries: [], seen: [] };
  let observation = "";
  for (let turn = 1; ; turn += 1) {
    const prefill = turn === 1 ? openingPrefill(question) : closingPrefill(observation);
    const reply = await env.chat(messages, { prefill });
    const query = parseQuery(reply.text);
    const answer = parseAnswer(reply.text);
    if (shouldStop(turn, query, answer)) return answer;
    observation = await respond(query, question, memory, env);
    messages.push({ role: "assistant", content: reply.text });
    messages.push({ role: "user", content: observation });
  }
}
`;
}

/**
 * h0 of math-reasoning: weak on purpose, in the spirit of the reference's first harness (whale-spec 4.2). It never names
 * the tool, allows two turns, ends at the first reply without code, and wraps the last line of the code in `print(...)` as
 * text, which breaks assignments, fences and semicolons. `respond` has a nudge that its own stop rule never reaches.
 */

/** Source of h0, one ES module. */
export const SEED_HARNESS: string = String.raw`export const SYSTEM_PROMPT = "";
export const USER_PROMPT = "{question}\nPut the final answer in \\boxed{}.";
export const FEEDBACK = "Output: {output}";
export const NUDGE = "Please continue.";
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

// Start of the first reply, and of every later one, which answers "feedback".
function openingPrefill(question) {
  return "";
}

function closingPrefill(feedback) {
  return "";
}

// The code in a reply, or "" where there is none.
function parseCode(text) {
  const match = /<code>([\s\S]*?)<\/code>/.exec(text);
  return match ? match[1] : "";
}

function normalizeCode(code) {
  const lines = code.trim().split("\n");
  const last = lines.length - 1;
  if (!lines[last].startsWith("print")) lines[last] = "print(" + lines[last] + ")";
  return lines.join("\n");
}

function formatOutput(result) {
  return FEEDBACK.replace("{output}", () => result.output.slice(0, 400));
}

// The user message that answers a reply.
async function respond(code, env) {
  if (code === "") return NUDGE;
  const result = await env.tools.run(normalizeCode(code));
  return formatOutput(result);
}

function shouldStop(turn, text, code) {
  return code === "" || turn >= MAX_TURNS;
}

// The text whose last box is judged.
function parseAnswer(replies) {
  return replies[replies.length - 1];
}

export async function solve(task, env) {
  const messages = buildMessages(task.question);
  const replies = [];
  let feedback = "";
  for (let turn = 1; ; turn += 1) {
    const prefill = turn === 1 ? openingPrefill(task.question) : closingPrefill(feedback);
    const reply = await env.chat(messages, { prefill });
    replies.push(reply.text);
    const code = parseCode(reply.text);
    if (shouldStop(turn, reply.text, code)) return parseAnswer(replies);
    feedback = await respond(code, env);
    messages.push({ role: "assistant", content: reply.text });
    messages.push({ role: "user", content: feedback });
  }
}
`;

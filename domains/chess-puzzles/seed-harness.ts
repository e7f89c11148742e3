/**
 * h0 of chess-puzzles: weak on purpose, after the reference's first harness (whale-spec 5.3, 5.4). Its rows of moves are in an
 * unusual form, its parser takes UCI alone and gives up on two moves in one reply, its notice after a refused move does not
 * say what is legal, and the whole history stays in the prompt. The drawn board and the counters of 5.3 are in the view, but
 * not in its prompt, which they would double.
 */

/** Source of h0, one ES module. */
export const SEED_HARNESS: string = String.raw`export const SYSTEM_PROMPT = "You are an expert. Final answer only.";
export const USER_PROMPT = "{observation}\nPut the move in UCI inside <move></move>.";
export const NEXT_PROMPT = "{observation}\nPut the move in UCI inside <move></move>.";
export const RETRY_PROMPT = "Feedback from verifier: {notice}";
export const FORMAT_RETRIES = 1;
export const ILLEGAL_RETRIES = 1;
export const MAX_TURNS = 9;

// Chats to show ahead of the puzzle: [{ role, content }, ...].
function exampleMessages() {
  return [];
}

function buildMessages(content) {
  const user = { role: "user", content };
  if (SYSTEM_PROMPT === "") return [...exampleMessages(), user];
  return [{ role: "system", content: SYSTEM_PROMPT }, ...exampleMessages(), user];
}

// One legal move as the model reads it.
function formatMove(move) {
  return "[" + move.uci + "] " + move.san;
}

function formatObservation(view) {
  return [
    view.goal,
    "Side to move: " + view.side,
    "FEN: " + view.fen,
    "Last opponent move: " + (view.opponent === "" ? "none" : view.opponent),
    "Legal moves:",
    view.legal.map(formatMove).join("\n"),
  ].join("\n");
}

function formatNotice(reason) {
  return reason + ".";
}

// Start of each reply.
function openingPrefill(view) {
  return "";
}

// The move in a reply, or "" where there is none, or where there are several.
function parseMove(text) {
  const tagged = text.match(/<move>[a-h][1-8][a-h][1-8][qrbn]?<\/move>/g);
  const bracketed = tagged ?? text.match(/\[[a-h][1-8][a-h][1-8][qrbn]?\]/g);
  const found = bracketed ?? text.match(/\b[a-h][1-8][a-h][1-8][qrbn]?\b/g) ?? [];
  const moves = new Set(found.map((part) => part.replace(/<\/?move>|[[\]]/g, "")));
  return moves.size === 1 ? [...moves][0] : "";
}

function isLegal(view, move) {
  return view.legal.some(({ uci }) => uci === move);
}

// What of the history the model sees at its next move.
function keepHistory(messages) {
  return messages;
}

export async function solve(task, env) {
  let view = task;
  let messages = buildMessages(USER_PROMPT.replace("{observation}", () => formatObservation(view)));
  let formatRetries = FORMAT_RETRIES;
  let illegalRetries = ILLEGAL_RETRIES;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const reply = await env.chat(messages, { prefill: openingPrefill(view) });
    const move = parseMove(reply.text);
    messages.push({ role: "assistant", content: reply.text });
    let reason = "";
    if (move === "") {
      formatRetries -= 1;
      reason = "malformed move";
      if (formatRetries < 0) return;
    } else if (!isLegal(view, move)) {
      illegalRetries -= 1;
      reason = "illegal move";
      if (illegalRetries < 0) return;
    } else {
      const result = await env.tools.play(move);
      if (result.status !== "next") return;
      view = result;
      messages = keepHistory(messages);
    }
    const content = reason === "" ? NEXT_PROMPT.replace("{observation}", () => formatObservation(view)) : RETRY_PROMPT.replace("{notice}", () => formatNotice(reason));
    messages.push({ role: "user", content });
  }
}
`;

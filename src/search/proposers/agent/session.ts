/**
 * One iteration of the agent: replies and tool calls in turn until every slot is filled or a limit is reached.
 *
 * After each turn the whole session is handed out as plain JSON. It is the transcript for people, and what a killed run
 * goes on from without asking again for what it has.
 */
import type { SearchView } from "../../candidate.ts";
import { ARCHIVE_TOOLS, type ArchiveTools } from "./archive-tools.ts";
import type { Connection } from "./connection.ts";
import type { Message, ModelRequest, Reply, ToolResult } from "./conversation.ts";
import { systemPrompt } from "./prompt.ts";
import { listMissing, type Written } from "./slots.ts";

/** What one iteration may spend. */
export type SessionLimits = {
  /** Replies. */
  readonly turns: number;
  /** Tokens read and written over all replies, each turn reading all earlier ones again. */
  readonly tokens: number;
  /** Tokens of one reply. */
  readonly replyTokens: number;
  readonly seconds: number;
};

/** Why a session ended: the model was done, would not answer, or a limit was reached. */
export type SessionEnd = "done" | "refused" | "turns" | "tokens" | "seconds";

/** Everything about a session. */
export type SessionState = {
  /** Empty while it goes on. */
  readonly end: SessionEnd | "";
  readonly messages: readonly Message[];
  /** Files that the agent wrote, by path. */
  readonly written: Written;
  readonly turns: number;
  /** Tokens read and written. */
  readonly tokens: number;
  /** Seconds spent, in all processes that had a part in it. */
  readonly seconds: number;
  /** Reminders given that something is missing. */
  readonly reminders: number;
};

/** What a session works with. */
export type SessionParts = {
  readonly connection: Connection;
  readonly tools: ArchiveTools;
  readonly view: SearchView;
  readonly limits: SessionLimits;
  /** Keeps the session after each turn. */
  readonly save: (state: SessionState) => Promise<void>;
};

/** Reminders before an agent that leaves slots empty is taken at its word. */
const MOST_REMINDERS = 2;
/** Characters a token, where nobody has counted; on the low side, so that a limit is kept. */
const CHARACTERS_A_TOKEN = 3;
/** A reply shorter than this cannot hold a candidate. */
const SHORTEST_REPLY = 256;

/** The state of a session that begins with `opening`. */
export function startSession(opening: string): SessionState {
  const messages: Message[] = [{ role: "user", text: opening }];
  return { end: "", messages, written: {}, turns: 0, tokens: 0, seconds: 0, reminders: 0 };
}

/**
 * Goes on with `state` to its end.
 * @throws {ProposerError} If the model cannot be asked; what `save` was last given stays good.
 */
export async function runSession(state: SessionState, parts: SessionParts): Promise<SessionState> {
  const { connection, limits, save } = parts;
  const started = connection.clock() - state.seconds * 1000;
  const secondsSpent = (): number => (connection.clock() - started) / 1000;
  let current = state;
  while (current.end === "") {
    const request = requestOf(current, parts);
    const end = limitReached({ ...current, seconds: secondsSpent() }, limits, request.maxTokens);
    if (end === "") {
      const reply = await connection.ask(request, (limits.seconds - secondsSpent()) * 1000);
      const tokens = current.tokens + countTokens(reply, request, connection);
      current = takeReply({ ...current, turns: current.turns + 1, tokens }, reply, parts);
    } else current = { ...current, end };
    current = { ...current, seconds: secondsSpent() };
    await save(current);
  }
  return current;
}

function requestOf({ messages, tokens }: SessionState, { connection, limits }: SessionParts): ModelRequest {
  const request = { system: systemPrompt(), messages, tools: ARCHIVE_TOOLS, maxTokens: limits.replyTokens };
  const left = limits.tokens - tokens - Math.ceil(connection.measure(request) / CHARACTERS_A_TOKEN);
  return { ...request, maxTokens: Math.min(limits.replyTokens, left) };
}

function limitReached({ turns, seconds }: SessionState, limits: SessionLimits, maxTokens: number): SessionEnd | "" {
  if (turns >= limits.turns) return "turns";
  if (maxTokens < Math.min(SHORTEST_REPLY, limits.replyTokens)) return "tokens";
  return seconds >= limits.seconds ? "seconds" : "";
}

function countTokens({ usage, text, calls }: Reply, request: ModelRequest, { measure }: Connection): number {
  if (usage !== undefined) return usage.input + usage.output;
  return Math.ceil((measure(request) + text.length + JSON.stringify(calls).length) / CHARACTERS_A_TOKEN);
}

function takeReply(state: SessionState, { text, calls, end, echo }: Reply, parts: SessionParts): SessionState {
  const spoken: Message = { role: "assistant", text, calls, end, echo };
  const next = { ...state, messages: [...state.messages, spoken] };
  if (end === "refused") return { ...next, end: "refused" };
  if (calls.length > 0) {
    const last = calls.length - 1;
    // Arguments that ran into the limit may parse and still be half of what was meant.
    const results = calls.map((call, i) =>
      end === "cut" && i === last ? cutCall(call.id, parts.limits) : parts.tools.run(call),
    );
    const answer: Message = { role: "results", results: withRemark(results, remarkOn(state.turns, parts.limits)) };
    return { ...next, messages: [...next.messages, answer], written: parts.tools.written() };
  }
  const missing = listMissing(state.written, parts.view);
  if (missing.length === 0 || state.reminders >= MOST_REMINDERS) return { ...next, end: "done" };
  const reason = end === "cut" ? "Your reply was cut at the token limit." : "You ended your turn.";
  const reminder: Message = { role: "user", text: `${reason} Still missing:\n${missing.join("\n")}` };
  return { ...next, messages: [...next.messages, reminder], reminders: state.reminders + 1 };
}

function cutCall(id: string, { replyTokens }: SessionLimits): ToolResult {
  const text = `not run: the reply was cut at ${String(replyTokens)} tokens; make it shorter, one file a turn`;
  return { id, text, isError: true };
}

/** In the last result, since a text of its own beside results makes some models end their turn. */
function withRemark(results: readonly ToolResult[], remark: string): ToolResult[] {
  const last = results.length - 1;
  return results.map((result, i) =>
    i === last && remark !== "" ? { ...result, text: `${result.text}\n\n[${remark}]` } : result,
  );
}

/** Near the end an agent must stop reading and write. */
function remarkOn(turns: number, limits: SessionLimits): string {
  const left = limits.turns - turns;
  if (left > Math.max(3, limits.turns / 4)) return "";
  return `${String(left)} turns left. Both files of every candidate must be written by then.`;
}

/**
 * The proposer that is a language model with tools (Meta-Harness, arXiv 2603.28052; whale-spec 2.5): it reads the archive as
 * files and writes candidates, which then pass the same checks as all others.
 *
 * Its answers differ from call to call, so a run with it does not repeat. What it did is kept in a journal, turn by turn;
 * an iteration that a kill broke off is gone on with from there.
 */
import { ProposerError } from "../../../base/errors.ts";
import { hashJson } from "../../../base/hash.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Proposer, SearchView } from "../../candidate.ts";
import { exportFolder } from "../../folder.ts";
import { createArchiveTools } from "./archive-tools.ts";
import type { Connection } from "./connection.ts";
import { openingMessage } from "./prompt.ts";
import { runSession, startSession, type SessionEnd, type SessionLimits, type SessionState } from "./session.ts";
import { collectProposals, openSlots } from "./slots.ts";

/** Where records of iterations are kept. */
export type Journal = {
  readonly read: (iteration: number) => Promise<JsonObject | undefined>;
  readonly write: (iteration: number, record: JsonObject) => Promise<void>;
};

/** Options of `createAgentProposer`. */
export type AgentOptions = {
  readonly connection: Connection;
  /** The domain's guide for proposers. */
  readonly guide: string;
  /** Source that a candidate may differ from in prompt text only. @default any change is allowed */
  readonly promptOnlyBase?: string | undefined;
  /** Limits of one iteration. */
  readonly limits: SessionLimits;
  readonly journal: Journal;
};

/** Version of the records. */
const AGENT_RECORD_VERSION = 1;

/** What the journal holds of an iteration. */
type AgentRecord = {
  readonly schema: typeof AGENT_RECORD_VERSION;
  readonly proposer: "agent";
  /** Model and host. */
  readonly model: string;
  /** Hash of all that the agent could see, so that a session is only gone on with where it belongs. */
  readonly view: string;
  /** What ended the session from outside, such as an endpoint that cannot be reached; or "". */
  readonly trouble: string;
  readonly session: SessionState;
};

/** The proposer; made anew for each iteration. */
export function createAgentProposer(options: AgentOptions): Proposer {
  let tokens = 0;
  return {
    name: "agent",
    propose: async (view) => {
      const { session, trouble } = await playIteration(view, options);
      tokens += session.tokens;
      const proposals = collectProposals(session.written, view);
      if (proposals.length > 0) return proposals;
      throw new ProposerError(`agent: ${trouble || `no candidate, ${END_TEXTS[session.end || "done"]}`}`);
    },
    tokensUsed: () => tokens,
  };
}

async function playIteration(view: SearchView, options: AgentOptions): Promise<AgentRecord> {
  const { connection, guide, promptOnlyBase, limits, journal } = options;
  const folder = exportFolder(view.candidates, { guide, incumbent: view.incumbent });
  const promptOnly = promptOnlyBase !== undefined;
  const opening = openingMessage({ view, promptOnly, turns: limits.turns });
  const about = {
    schema: AGENT_RECORD_VERSION,
    proposer: "agent",
    model: connection.name,
    view: hashJson([view.incumbent, view.iteration, view.count, promptOnly, ...folder]),
  } as const;
  const kept = readRecord(await journal.read(view.iteration), about.view);
  if (kept !== undefined && (kept.session.end !== "" || kept.trouble !== "")) return kept;
  let record: AgentRecord = { ...about, trouble: "", session: kept?.session ?? startSession(opening) };
  const save = async (change: Partial<AgentRecord>): Promise<void> => {
    record = { ...record, ...change };
    await journal.write(view.iteration, record);
  };
  const tools = createArchiveTools(folder, openSlots({ view, promptOnlyBase }), record.session.written);
  try {
    await runSession(record.session, { connection, tools, view, limits, save: (session) => save({ session }) });
  } catch (error) {
    if (!(error instanceof ProposerError)) throw error;
    await save({ trouble: error.message });
  }
  return record;
}

const END_TEXTS: Readonly<Record<SessionEnd, string>> = {
  done: "the model ended without one",
  refused: "the model refused",
  turns: "all turns are spent",
  tokens: "all tokens are spent",
  seconds: "the time is over",
};

/** The record of this very view, where there is one. */
function readRecord(saved: JsonObject | undefined, view: string): AgentRecord | undefined {
  const isOurs = saved?.["schema"] === AGENT_RECORD_VERSION && saved["proposer"] === "agent" && saved["view"] === view;
  return isOurs ? (saved as unknown as AgentRecord) : undefined;
}

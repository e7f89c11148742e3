/**
 * The proposer that the settings of a run name, with what it keeps in the run folder:
 *
 *   proposals/PHASE-ROUND.json    transcript of a round of `agent` or `model`; of `agent` also what a killed run goes on from
 *
 * A key never comes here: it lives in the connection, which the composition root makes.
 */
import { ConfigError } from "../base/errors.ts";
import { createAgentProposer, type Journal } from "../search/proposers/agent/agent.ts";
import { ANTHROPIC_FORMAT } from "../search/proposers/agent/anthropic-format.ts";
import { createConnection, type Connection, type ConnectionHost } from "../search/proposers/agent/connection.ts";
import { openaiFormat } from "../search/proposers/agent/openai-format.ts";
import { createModelProposer, type ModelProposerOptions } from "../search/proposers/model.ts";
import { createRandomProposer } from "../search/proposers/random.ts";
import type { RunStore } from "../store/run-store.ts";
import type { ChatCodec } from "../text/chat.ts";
import type { ExperimentConfig, ProposerConfig } from "./config.ts";
import { EVOLVE, type ProposerFactory } from "./context.ts";
import type { Policy } from "./policy.ts";

/** What proposers may need beside the settings. */
export type ProposerServices = {
  readonly config: ExperimentConfig;
  readonly policy: Policy;
  readonly codec: ChatCodec;
  readonly store: RunStore;
  /** The language model behind `agent`; undefined where another proposer is set. */
  readonly connection: Connection | undefined;
};

/**
 * The proposer that `config.proposer.kind` names.
 * @throws {ConfigError} If it is `agent` and there is no connection.
 */
export function chooseProposer(services: ProposerServices): ProposerFactory {
  const { kind, turns, tokens, replyTokens, minutes } = services.config.proposer;
  const { connection, store } = services;
  switch (kind) {
    case "evolve":
      return EVOLVE;
    case "random":
      return ({ domain, ...options }) => createRandomProposer({ space: domain, ...options });
    case "agent":
      if (connection === undefined) throw new ConfigError("proposer agent: a connection to a language model is needed");
      return ({ domain, phase, promptOnly }) =>
        createAgentProposer({
          connection,
          guide: domain.guide,
          promptOnlyBase: promptOnly ? domain.seedHarness : undefined,
          limits: { turns, tokens, replyTokens, seconds: 60 * minutes },
          journal: openJournal(store, phase),
        });
    case "model":
      return ({ seed, phase, promptOnly }) =>
        createModelProposer({
          ask: askPolicy(services),
          seed,
          phase,
          promptOnly,
          record: openJournal(store, phase).write,
        });
  }
}

const VENDOR_ENDPOINTS: Readonly<Record<ProposerConfig["format"], string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
};

/**
 * The language model that `config` names.
 * @throws {ConfigError} If no model is named.
 */
export function connectAgent(config: ProposerConfig, key: string | undefined, host: ConnectionHost): Connection {
  if (config.model === "")
    throw new ConfigError("proposer.model: the agent needs the name of a model; give --set proposer.model=NAME");
  const endpoint = config.endpoint || VENDOR_ENDPOINTS[config.format];
  // OpenAI's newer models refuse the older name of the field, and many other servers do not know the newer one.
  const limitField = new URL(endpoint).hostname === "api.openai.com" ? "max_completion_tokens" : "max_tokens";
  const format = config.format === "anthropic" ? ANTHROPIC_FORMAT : openaiFormat(limitField);
  return createConnection({ format, endpoint, model: config.model, key, host, retries: config.retries });
}

function openJournal(store: RunStore, phase: number): Journal {
  const number = (value: number): string => String(value).padStart(3, "0");
  const path = (iteration: number): string => `proposals/${number(phase + 1)}-${number(iteration)}.json`;
  return {
    read: (iteration) => store.readJson(path(iteration)),
    write: (iteration, record) => store.writeJson(path(iteration), record),
  };
}

/** The policy as it is now, with an answer at most twice as long as what it is to be like. */
function askPolicy({ policy, codec }: ProposerServices): ModelProposerOptions["ask"] {
  return async ({ prompt, like, stream }) => {
    const ids = codec.encodePrompt([{ role: "user", content: prompt }]);
    const maxTokens = 2 * codec.encode(like).length + 32;
    const conversation = stream.join("/");
    const completer = policy.completer();
    const completion = await completer.complete({ prompt: ids, maxTokens, stop: [], stream, conversation });
    completer.release(conversation);
    return { text: completion.text, tokens: ids.length + completion.ids.length };
  };
}

/**
 * The language model behind `--proposer agent`, with the key that the user put into the environment.
 *
 * A key is sent only where it belongs: a vendor's own variable counts for the vendor's own address alone, since settings
 * may come with a run folder that someone else made.
 */
import { setTimeout as wait } from "node:timers/promises";
import { ConfigError } from "../base/errors.ts";
import { CONDITION_TABLE } from "../experiment/conditions.ts";
import type { ExperimentConfig, ProposerConfig } from "../experiment/config.ts";
import { connectAgent } from "../experiment/proposers.ts";
import { ARCHIVE_TOOLS } from "../search/proposers/agent/archive-tools.ts";
import type { Connection, ConnectionHost } from "../search/proposers/agent/connection.ts";

/** Variable of a key for whatever endpoint the settings name. */
const KEY_VARIABLE = "SPYHOP_PROPOSER_KEY";

const VENDOR_VARIABLES: Readonly<Record<ProposerConfig["format"], string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
};

const HOST: ConnectionHost = {
  fetch: (url, init) => fetch(url, init),
  clock: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The connection that `config` needs; undefined where no language model proposes. Nothing is sent yet.
 * @throws {ConfigError} If the model or the key is missing, or the key cannot be one.
 */
export function openConnection(
  config: ExperimentConfig,
  environment: Environment = process.env,
): Connection | undefined {
  const { proposer, condition } = config;
  if (proposer.kind !== "agent" || !CONDITION_TABLE[condition].harness) return undefined;
  return connectAgent(proposer, findKey(proposer, environment), HOST);
}

/** Milliseconds that the check of a connection may take. */
const CHECK_TIME = 60_000;

/**
 * Asks for one short reply, so that a wrong key, name or address is met before the hours of a run and not after them.
 * @throws {LabError} If there is none.
 */
export async function checkConnection(connection: Connection | undefined): Promise<void> {
  const messages = [{ role: "user", text: "This checks the connection. Answer with OK." }] as const;
  // The tools are sent to meet an endpoint that takes none.
  const request = { system: "Answer briefly.", messages, tools: ARCHIVE_TOOLS, maxTokens: 16 };
  await connection?.ask(request, CHECK_TIME);
}

/** A server of one's own may want no key; a vendor does. */
function findKey({ format, endpoint }: ProposerConfig, environment: Environment): string | undefined {
  const vendorVariable = VENDOR_VARIABLES[format];
  const names = endpoint === "" ? [KEY_VARIABLE, vendorVariable] : [KEY_VARIABLE];
  const name = names.find((one) => (environment[one] ?? "").trim() !== "");
  if (name === undefined) {
    if (endpoint !== "") return undefined;
    throw new ConfigError(
      `proposer agent: a key is needed; set ${KEY_VARIABLE} or ${vendorVariable} and give the same command again ` +
        "(a run folder holds no key, so a resumed run needs it too)",
    );
  }
  const key = (environment[name] ?? "").trim();
  // `fetch` would refuse it with a message that repeats it.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(`${name}: expected a key of printable ASCII characters without spaces; check the variable`);
  return key;
}

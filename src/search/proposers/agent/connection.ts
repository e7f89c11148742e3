/**
 * Asks a language model over HTTP: one request, tried again while the failure may pass, within a time limit.
 *
 * The key lives in this closure and in request headers only. Whatever comes back from outside is scrubbed of it before
 * anything else looks at it, messages of errors are of our own making, and redirects are refused, since some hosts of
 * `fetch` would carry the key along.
 */
import type { Clock } from "../../../base/clock.ts";
import { ConfigError, ProposerError, describeError } from "../../../base/errors.ts";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import type { ModelRequest, Reply, WireFormat } from "./conversation.ts";

/** The part of a response that is read. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly text: () => Promise<string>;
};

/** The part of `fetch` that is used. */
export type HttpFetch = (
  url: string,
  init: {
    readonly method: "POST";
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly redirect: "error";
    readonly signal: AbortSignal;
  },
) => Promise<HttpResponse>;

/** What a connection needs of its host. */
export type ConnectionHost = {
  readonly fetch: HttpFetch;
  readonly clock: Clock;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Options of `createConnection`. */
export type ConnectionOptions = {
  readonly format: WireFormat;
  /** Base address, without user, password and query. */
  readonly endpoint: string;
  /** Name of the model, as the endpoint knows it. */
  readonly model: string;
  /** Undefined sends none. */
  readonly key?: string | undefined;
  readonly host: ConnectionHost;
  /** Times that a failed request is made again. @default 5 */
  readonly retries?: number;
};

/** A language model that can be asked. */
export type Connection = {
  /** What messages and transcripts call it, such as `claude-opus-4-7 at api.anthropic.com`. */
  readonly name: string;
  readonly clock: Clock;
  /** Length of the request as it is sent, in characters. */
  readonly measure: (request: ModelRequest) => number;
  /**
   * One reply, `ms` milliseconds from now at the latest.
   * @throws {ProposerError} If there is none.
   * @throws {ConfigError} If the endpoint refuses the key or does not know the model: trying again will not help.
   */
  readonly ask: (request: ModelRequest, ms: number) => Promise<Reply>;
};

/** First and longest wait before another try, in milliseconds. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60_000;

/** A connection to the endpoint that `options` name; nothing is sent yet. */
export function createConnection(options: ConnectionOptions): Connection {
  const { format, model, host, key = "", retries = 5 } = options;
  const url = format.resolveUrl(options.endpoint);
  const where = new URL(url).host;
  const escaped = JSON.stringify(key).slice(1, -1);
  const scrub = (text: string): string =>
    key === "" ? text : text.replaceAll(key, "[key]").replaceAll(escaped, "[key]");
  const line: Line = { where, model, url, scrub, format, host, headers: headersOf(format, key) };
  return {
    name: `${model} at ${where}`,
    clock: host.clock,
    measure: (request) => JSON.stringify(format.formatBody(request, model)).length,
    ask: async (request, ms) => {
      const end = host.clock() + ms;
      const body = JSON.stringify(format.formatBody(request, model));
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await attemptOnce(line, body, end - host.clock());
        if (outcome.kind === "reply") return outcome.reply;
        const wait = Math.max(outcome.wait, Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt));
        if (attempt >= retries) throw new ProposerError(`${outcome.problem}, ${String(attempt + 1)} times`);
        if (host.clock() + wait >= end) throw new ProposerError(`${outcome.problem}, and no time is left to try again`);
        await host.sleep(wait, new AbortController().signal);
      }
    },
  };
}

type Line = {
  readonly where: string;
  readonly model: string;
  readonly url: string;
  readonly scrub: (text: string) => string;
  readonly format: WireFormat;
  readonly host: ConnectionHost;
  readonly headers: Record<string, string>;
};

/** A reply, or a failure that may pass; `wait` is the least time to the next try, in milliseconds. */
type Outcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "failed"; readonly problem: string; readonly wait: number };

function headersOf(format: WireFormat, key: string): Record<string, string> {
  const fixed = { "content-type": "application/json", accept: "application/json", ...format.headers };
  return key === "" ? fixed : { ...fixed, ...format.authorize(key) };
}

async function attemptOnce(line: Line, body: string, ms: number): Promise<Outcome> {
  const { where, url, scrub, format, host, headers } = line;
  const answer = await withDeadline(host, ms, async (signal) => {
    const response = await host.fetch(url, { method: "POST", headers, body, redirect: "error", signal });
    return { status: response.status, after: response.headers.get("retry-after"), text: scrub(await response.text()) };
  });
  if (answer.kind === "late") return { kind: "failed", problem: `${where}: no answer in time`, wait: 0 };
  if (answer.kind === "error")
    return { kind: "failed", problem: `${where}: cannot be reached, ${scrub(describeFailure(answer.error))}`, wait: 0 };
  const { status, after, text } = answer.value;
  const parsed = parseJson(text);
  if (status !== 200) return refuse(line, { status, wait: waitOf(after), said: parsed });
  try {
    if (parsed !== undefined) return { kind: "reply", reply: format.parseBody(parsed) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "failed", problem: `${where}: an answer that cannot be read, ${error.message}`, wait: 0 };
  }
  return { kind: "failed", problem: `${where}: an answer that is not JSON`, wait: 0 };
}

type Refused = { readonly status: number; readonly wait: number; readonly said: JsonValue | undefined };

/** Statuses that another try of the same request may not meet again; 529 is Anthropic's for overload. */
const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

function refuse({ where, model }: Line, { status, wait, said }: Refused): Outcome {
  const code = String(status);
  // What a server says of a key it refuses may hold a part of the key, so it is not passed on.
  if (status === 401 || status === 403)
    throw new ConfigError(
      `${where}: refuses the key (status ${code}); set another (a run that has begun goes on with resume)`,
    );
  const message = messageOf(said);
  if (status === 402) throw new ConfigError(`${where}: wants to be paid (status ${code})${message}`);
  if (status === 404)
    throw new ConfigError(
      `${where}: knows no model ${JSON.stringify(model)}, or proposer.endpoint is wrong (status ${code})${message}`,
    );
  if (PASSING.has(status)) return { kind: "failed", problem: `${where}: status ${code}${message}`, wait };
  throw new ProposerError(`${where}: status ${code}${message}`);
}

/** The error's own message where there is one, kept short. */
function messageOf(said: JsonValue | undefined): string {
  const error = isJsonObject(said) ? said["error"] : undefined;
  const message = isJsonObject(error) ? error["message"] : error;
  if (typeof message !== "string" || message === "") return "";
  return `, ${message
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 200)}`;
}

/** Milliseconds that a Retry-After header asks for; dates are not read. */
function waitOf(after: string | null): number {
  const seconds = after === null || after.trim() === "" ? 0 : Number(after);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What lies behind a failed `fetch` says more than its own message. */
function describeFailure(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return describeError(cause instanceof Error && cause.message !== "" ? cause : error);
}

type Timed<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "late" }
  | { readonly kind: "error"; readonly error: unknown };

/** Runs `work` for at most `ms`; its signal is aborted when that is over. */
async function withDeadline<T>(
  { sleep }: ConnectionHost,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> {
  if (ms <= 0) return { kind: "late" };
  const [request, timer] = [new AbortController(), new AbortController()];
  const late = sleep(ms, timer.signal).then((): Timed<T> => ({ kind: "late" }));
  const done = work(request.signal).then(
    (value): Timed<T> => ({ kind: "value", value }),
    (error: unknown): Timed<T> => ({ kind: "error", error }),
  );
  const first = await Promise.race([done, late]);
  timer.abort();
  request.abort();
  return first;
}

import { describe, expect, it } from "vitest";
import { ConfigError, ProposerError } from "../../../../src/base/errors.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { Proposal, SearchView } from "../../../../src/search/candidate.ts";
import { createAgentProposer, type Journal } from "../../../../src/search/proposers/agent/agent.ts";
import { ANTHROPIC_FORMAT } from "../../../../src/search/proposers/agent/anthropic-format.ts";
import { createConnection } from "../../../../src/search/proposers/agent/connection.ts";
import type { WireFormat } from "../../../../src/search/proposers/agent/conversation.ts";
import { openaiFormat } from "../../../../src/search/proposers/agent/openai-format.ts";
import type { SessionLimits } from "../../../../src/search/proposers/agent/session.ts";
import { anthropicReply, REPLY_TOKENS, toolUse } from "../../../support/scripted-agent.ts";
import { evaluateFake, FAKE_H0, solvedTrace } from "../../fake-domain.ts";
import { fakeHost, openaiReply, type FakeAnswer } from "./fake-endpoint.ts";

const LIMITS: SessionLimits = { turns: 10, tokens: 1_000_000, replyTokens: 1000, seconds: 600 };
const BETTER = FAKE_H0.replace("Be brief.", "Say <call>x</call>.");
const RECORD = JSON.stringify({ parent: "h0", axis: "prompt text", hypothesis: "It names\nthe tool.\u001b[2J" });

/** An archive of h0 alone, with one solved rollout. */
function viewOf(count = 1): SearchView {
  const evaluation = { ...evaluateFake(FAKE_H0, 0, 8), traces: [solvedTrace()] };
  const h0 = { source: FAKE_H0, parent: "", axis: "", hypothesis: "", mechanisms: [], name: "h0", iteration: 0 };
  return {
    candidates: [{ ...h0, status: { kind: "evaluated", evaluation } }],
    incumbent: "h0",
    iteration: 1,
    count,
  };
}

function memoryJournal(): Journal & { readonly records: Map<number, JsonObject>; writes: () => number } {
  const records = new Map<number, JsonObject>();
  let writes = 0;
  return {
    records,
    writes: () => writes,
    read: (iteration) => Promise.resolve(records.get(iteration)),
    write: (iteration, record) => {
      writes += 1;
      records.set(iteration, JSON.parse(JSON.stringify(record)) as JsonObject);
      return Promise.resolve();
    },
  };
}

type Setup = {
  readonly limits?: Partial<SessionLimits>;
  readonly promptOnlyBase?: string;
  readonly format?: WireFormat;
  readonly journal?: ReturnType<typeof memoryJournal>;
};

function agentOf(answers: readonly FakeAnswer[], setup: Setup = {}) {
  const host = fakeHost(answers);
  const journal = setup.journal ?? memoryJournal();
  const format = setup.format ?? ANTHROPIC_FORMAT;
  const connection = createConnection({
    format,
    endpoint: "https://llm.test",
    model: "big",
    key: "sk-1",
    host,
    retries: 1,
  });
  const limits = { ...LIMITS, ...setup.limits };
  const { promptOnlyBase } = setup;
  const proposer = createAgentProposer({ connection, guide: "# Guide", limits, journal, promptOnlyBase });
  return { host, journal, proposer };
}

const say = (...blocks: readonly JsonObject[]): FakeAnswer => ({ body: anthropicReply(blocks) });
const write = (slot: number, source: string, record = RECORD): JsonObject[] => [
  toolUse("Write", { path: `proposals/${String(slot)}/harness.js`, content: source }, `s${String(slot)}`),
  toolUse("Write", { path: `proposals/${String(slot)}/candidate.json`, content: record }, `r${String(slot)}`),
];
const LOOK = { body: anthropicReply([toolUse("Glob", { pattern: "*" })]) };
const END = say({ type: "text", text: "Done." });

/** Texts of the tool results that the last request held. */
function lastResults({ requests }: ReturnType<typeof fakeHost>): string {
  const messages = requests.at(-1)?.body["messages"] as readonly JsonObject[];
  return JSON.stringify(messages.at(-1));
}

describe("createAgentProposer", () => {
  it("reads the archive, writes candidates with parent, axis and hypothesis, and counts tokens", async () => {
    const { host, proposer, journal } = agentOf([
      say(toolUse("Glob", { pattern: "**" }), toolUse("Read", { path: "harnesses/h0/harness.js" }, "x")),
      say(...write(1, BETTER)),
      END,
    ]);
    expect(await proposer.propose(viewOf())).toEqual<Proposal[]>([
      { source: BETTER, parent: "h0", axis: "prompt text", hypothesis: "It names the tool. [2J", mechanisms: [] },
    ]);
    expect(proposer.tokensUsed()).toBe(3 * REPLY_TOKENS);
    expect(JSON.stringify(host.requests[1]?.body)).toContain("harnesses/h0/causes.json");
    expect(journal.records.get(1)).toMatchObject({ model: "big at llm.test", session: { end: "done", turns: 3 } });
  });

  it("shows no id of a task, no key of a stream and no key of the endpoint", async () => {
    const { host, proposer, journal } = agentOf([
      say(toolUse("Read", { path: "harnesses/h0/traces/solved.jsonl" }), toolUse("Grep", { pattern: "secret" }, "g")),
      say(...write(1, BETTER)),
      END,
    ]);
    await proposer.propose(viewOf());
    const sent = JSON.stringify(host.requests.map(({ body }) => body));
    expect(sent).toContain("How many?");
    expect(sent).not.toMatch(/secret-|sk-1/);
    expect(JSON.stringify(journal.records.get(1))).not.toContain("sk-1");
  });

  it("speaks chat completions too", async () => {
    const args = (path: string, content: string): string => JSON.stringify({ path, content });
    const { proposer, host } = agentOf(
      [
        { body: openaiReply(null, [["Read", "{broken"]]) },
        {
          body: openaiReply("Now I write.", [
            ["Write", args("proposals/1/harness.js", BETTER)],
            ["Write", args("proposals/1/candidate.json", RECORD)],
          ]),
        },
        { body: openaiReply("Done.") },
      ],
      { format: openaiFormat("max_tokens") },
    );
    expect(await proposer.propose(viewOf())).toMatchObject([{ source: BETTER }]);
    expect(JSON.stringify(host.requests[1]?.body)).toContain("Error: the arguments are not a JSON object");
    expect(proposer.tokensUsed()).toBe(3 * 120);
  });

  it("tells the agent what a check would say of its source", async () => {
    const { proposer, host } = agentOf(
      [
        say(...write(1, "export function solve( {")),
        say(...write(1, FAKE_H0)),
        say(...write(1, BETTER.replace("MAX_TURNS = 2", "MAX_TURNS = 3"))),
        say(...write(1, BETTER, '{"parent":"h7","axis":"x","hypothesis":"y"}')),
        END,
      ],
      { promptOnlyBase: FAKE_H0 },
    );
    await expect(proposer.propose(viewOf())).rejects.toThrow(/no candidate, the model ended without one/);
    const results = JSON.stringify(host.requests.at(-1)?.body["messages"]);
    expect(results).toMatch(/would be refused: .*syntax/);
    expect(results).toMatch(/same program as h0/);
    expect(results).toMatch(/more than prompt text/);
    expect(results).toMatch(/parent must name a candidate in harnesses/);
  });

  it("leaves an invalid source that the agent insists on to the checks that record it", async () => {
    const { proposer } = agentOf([say(...write(1, "not a program (")), END]);
    expect(await proposer.propose(viewOf())).toMatchObject([{ source: "not a program (" }]);
  });

  it("reminds an agent that ends too early, twice, and takes what there is", async () => {
    const { proposer, host } = agentOf([say(...write(1, BETTER)), END]);
    expect(await proposer.propose(viewOf(2))).toHaveLength(1);
    expect(host.requests).toHaveLength(4);
    expect(lastResults(host)).toMatch(/Still missing:\\nproposals\/2\/harness\.js is not written/);
  });

  it("does not run a call that the token limit has cut, and says so", async () => {
    const cut = { body: anthropicReply(write(1, BETTER.slice(0, 40)), "max_tokens") };
    const { proposer, host } = agentOf([cut, say(...write(1, BETTER)), END]);
    expect(await proposer.propose(viewOf())).toMatchObject([{ source: BETTER }]);
    expect(JSON.stringify(host.requests[1]?.body)).toMatch(/not run: the reply was cut at 1000 tokens/);
  });

  it.each<[string, { readonly answers: readonly FakeAnswer[]; readonly limits?: Partial<SessionLimits> }, RegExp]>([
    [
      "the model refuses",
      { answers: [{ body: anthropicReply([], "refusal") }] },
      /agent: no candidate, the model refused/,
    ],
    ["turns are spent", { answers: [LOOK], limits: { turns: 3 } }, /no candidate, all turns are spent/],
    ["tokens are spent", { answers: [LOOK], limits: { tokens: 2800 } }, /no candidate, all tokens are spent/],
    ["time is over", { answers: [{ ...LOOK, takes: 400_000 }] }, /no candidate, the time is over/],
    ["nobody answers", { answers: [{ hangs: true }] }, /agent: llm\.test: no answer in time/],
    ["the endpoint fails", { answers: [{ status: 500, body: {} }] }, /agent: llm\.test: status 500, 2 times/],
  ])("spends its iteration with a reason when %s", async (_, { answers, limits = {} }, reason) => {
    const { proposer, journal } = agentOf(answers, { limits });
    const view = viewOf();
    await expect(proposer.propose(view)).rejects.toThrow(ProposerError);
    // Asked again after a kill, it says the same and asks nobody.
    const again = agentOf([{ error: new TypeError("asked again") }], { journal, limits });
    await expect(again.proposer.propose(view)).rejects.toThrow(reason);
    expect(again.host.requests).toHaveLength(0);
    expect(again.proposer.tokensUsed()).toBe(proposer.tokensUsed());
  });

  it("says how many turns are left when few are", async () => {
    const { proposer, host } = agentOf([LOOK], { limits: { turns: 8 } });
    await expect(proposer.propose(viewOf())).rejects.toThrow(/turns are spent/);
    const bodies = host.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(bodies.map((body) => /\[(\d) turns left\./.exec(body.slice(-400))?.[1])).toEqual([
      ...[undefined, undefined, undefined, undefined, undefined, "3", "2", "1"],
    ]);
  });

  it("keeps within its tokens when it nears the end of them", async () => {
    const { proposer, host } = agentOf([LOOK], { limits: { tokens: 2800 } });
    await expect(proposer.propose(viewOf())).rejects.toThrow(/tokens are spent/);
    expect(proposer.tokensUsed()).toBeLessThanOrEqual(2800);
    expect(host.requests.map(({ body }) => Number(body["max_tokens"])).every((most) => most <= 1000)).toBe(true);
  });

  it("gives what is complete when the endpoint fails half way", async () => {
    const { proposer, journal } = agentOf([say(...write(1, BETTER)), { status: 500, body: {} }]);
    expect(await proposer.propose(viewOf(2))).toHaveLength(1);
    expect(journal.records.get(1)).toMatchObject({ trouble: "llm.test: status 500, 2 times" });
  });

  it("does not spend the iteration when the key is refused, and goes on from there with another", async () => {
    const { proposer, journal } = agentOf([say(...write(1, BETTER)), { status: 401, body: {} }]);
    await expect(proposer.propose(viewOf())).rejects.toThrow(ConfigError);
    const mended = agentOf([END], { journal });
    expect(await mended.proposer.propose(viewOf())).toMatchObject([{ source: BETTER }]);
    expect(mended.host.requests).toHaveLength(1);
    expect(mended.proposer.tokensUsed()).toBe(2 * REPLY_TOKENS);
  });

  it("begins anew when what it would go on with belongs to another archive", async () => {
    const { proposer, journal } = agentOf([say(...write(1, BETTER)), END]);
    await proposer.propose(viewOf());
    const other = agentOf([say(...write(1, BETTER)), END], { journal });
    await other.proposer.propose({ ...viewOf(), count: 2 });
    expect(other.host.requests.length).toBeGreaterThan(0);
  });
});

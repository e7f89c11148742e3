import { describe, expect, it } from "vitest";
import { ConfigError, ProposerError } from "../../../../src/base/errors.ts";
import { ANTHROPIC_FORMAT } from "../../../../src/search/proposers/agent/anthropic-format.ts";
import { createConnection } from "../../../../src/search/proposers/agent/connection.ts";
import type { ModelRequest } from "../../../../src/search/proposers/agent/conversation.ts";
import { anthropicReply } from "../../../support/scripted-agent.ts";
import { fakeHost, type FakeAnswer } from "./fake-endpoint.ts";

const KEY = "sk-secret-77";
const REQUEST: ModelRequest = { system: "s", messages: [{ role: "user", text: "u" }], tools: [], maxTokens: 10 };
const GOOD: FakeAnswer = { body: anthropicReply([{ type: "text", text: "fine" }]) };

function connect(answers: readonly FakeAnswer[], key: string | undefined = KEY) {
  const host = fakeHost(answers);
  const options = { format: ANTHROPIC_FORMAT, endpoint: "https://llm.test", model: "big", key, host, retries: 3 };
  return { host, connection: createConnection(options) };
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Error);
  return `${(error as Error).name}: ${(error as Error).message}`;
}

describe("createConnection", () => {
  it("sends the key in its header only, and none where none is given", async () => {
    const { host, connection } = connect([GOOD]);
    expect(await connection.ask(REQUEST, 1000)).toMatchObject({ text: "fine" });
    expect(host.requests[0]?.url).toBe("https://llm.test/v1/messages");
    expect(host.requests[0]?.headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
    expect(JSON.stringify(host.requests[0]?.body) + host.requests[0]!.url + connection.name).not.toContain(KEY);
    const open = connect([GOOD], "");
    await open.connection.ask(REQUEST, 1000);
    expect(open.host.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("waits longer from try to try, at least as long as the server asks, when it is refused for now", async () => {
    const busy = { status: 529, body: { error: { message: "overloaded" } } };
    const limited = { status: 429, body: {}, retryAfter: "20" };
    const { host, connection } = connect([busy, busy, limited, GOOD]);
    expect(await connection.ask(REQUEST, 60_000)).toMatchObject({ text: "fine" });
    expect(host.waits).toEqual([1000, 2000, 20_000]);
  });

  it("gives up after its retries, and at once when the wait would pass the limit", async () => {
    const { host, connection } = connect([{ status: 500, body: { error: { message: "oh\n\u001b[31mno" } } }]);
    expect(await messageOf(connection.ask(REQUEST, 60_000))).toBe(
      "ProposerError: llm.test: status 500, oh [31mno, 4 times",
    );
    expect(host.requests).toHaveLength(4);
    const late = connect([{ status: 429, body: {}, retryAfter: "90" }]);
    expect(await messageOf(late.connection.ask(REQUEST, 60_000))).toBe(
      "ProposerError: llm.test: status 429, and no time is left to try again",
    );
    expect(late.host.requests).toHaveLength(1);
  });

  it("tries again when the network fails or the answer is no JSON or of another form", async () => {
    const down = { error: new TypeError("fetch failed", { cause: new RangeError("connect ECONNREFUSED") }) };
    const { host, connection } = connect([down, { text: "<html>" }, { body: { hello: 1 } }, GOOD]);
    expect(await connection.ask(REQUEST, 60_000)).toMatchObject({ text: "fine" });
    expect(host.requests).toHaveLength(4);
    expect(await messageOf(connect([down]).connection.ask(REQUEST, 60_000))).toMatch(
      /llm\.test: cannot be reached, connect ECONNREFUSED, 4 times/,
    );
    expect(await messageOf(connect([{ text: "<html>" }]).connection.ask(REQUEST, 60_000))).toMatch(/not JSON/);
  });

  it("ends when an answer does not come in time", async () => {
    const { host, connection } = connect([{ hangs: true }]);
    expect(await messageOf(connection.ask(REQUEST, 5000))).toMatch(/ProposerError: llm\.test: no answer in time/);
    expect(host.waits).toEqual([5000]);
  });

  it.each([
    [401, /ConfigError: llm\.test: refuses the key \(status 401\)/],
    [403, /ConfigError: llm\.test: refuses the key/],
    [402, /ConfigError: llm\.test: wants to be paid/],
    [404, /ConfigError: llm\.test: knows no model "big", or proposer\.endpoint is wrong/],
    [400, /ProposerError: llm\.test: status 400, prompt is too long/],
  ])("does not try again on status %i", async (status, message) => {
    const { host, connection } = connect([{ status, body: { error: { message: "prompt is too long" } } }]);
    expect(await messageOf(connection.ask(REQUEST, 60_000))).toMatch(message);
    expect(host.requests).toHaveLength(1);
  });

  it("never lets the key into a message or a reply, whatever the other side says", async () => {
    const echo = { error: { message: `bad key ${KEY}` } };
    for (const answer of [
      { status: 401, body: echo },
      { status: 400, body: echo },
      { status: 500, body: echo },
      { error: new TypeError(`invalid header value ${KEY}`) },
    ]) {
      const work = connect([answer]).connection.ask(REQUEST, 60_000);
      const error: unknown = await work.catch((caught: unknown) => caught);
      expect(error instanceof ProposerError || error instanceof ConfigError).toBe(true);
      expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain(KEY);
    }
    const parrot = connect([{ body: anthropicReply([{ type: "text", text: `you sent ${KEY}` }]) }]);
    expect((await parrot.connection.ask(REQUEST, 1000)).text).toBe("you sent [key]");
  });
});

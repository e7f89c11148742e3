import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { openConnection } from "../../src/cli/connection.ts";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import type { ConfigOverrides } from "../../src/experiment/config.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";
import { anthropicReply, serveAgent } from "../support/scripted-agent.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";

const agent = (overrides: ConfigOverrides = {}, condition = "whale") =>
  resolveConfig(
    "smoke",
    { domain: "math-reasoning", condition, model: "tiny", seed: 0 },
    { "proposer.kind": "agent", "proposer.model": "big", ...overrides },
  );

describe("openConnection", () => {
  it("opens nothing where no language model proposes", () => {
    expect(openConnection(agent({ "proposer.kind": "evolve" }), {})).toBeUndefined();
    expect(openConnection(agent({}, "weight-only"), {})).toBeUndefined();
  });

  it("says which variable to set when there is no key, also for a run that is resumed", () => {
    expect(() => openConnection(agent(), {})).toThrow(
      /a key is needed; set SPYHOP_PROPOSER_KEY or ANTHROPIC_API_KEY .*resumed run needs it too/,
    );
    expect(() => openConnection(agent({ "proposer.format": "openai" }), { ANTHROPIC_API_KEY: "a" })).toThrow(
      /or OPENAI_API_KEY/,
    );
  });

  it("takes the vendor's own variable, but does not send it to another address", async () => {
    const environment = { ANTHROPIC_API_KEY: "sk-vendor" };
    expect(openConnection(agent(), environment)?.name).toBe("big at api.anthropic.com");
    await using server = await serveAgent(() => ({ body: anthropicReply([]) }));
    const config = agent({ "proposer.endpoint": server.url });
    const request = { system: "", messages: [], tools: [], maxTokens: 1 };
    await openConnection(config, environment)?.ask(request, 10_000);
    await openConnection(config, { ...environment, SPYHOP_PROPOSER_KEY: "sk-own\n" })?.ask(request, 10_000);
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([undefined, "sk-own"]);
  });

  it("asks for the name of a model", () => {
    expect(() => openConnection(agent({ "proposer.model": "" }), { ANTHROPIC_API_KEY: "a" })).toThrow(
      /--set proposer\.model=NAME/,
    );
  });

  it("refuses a key that no header takes, without repeating it", () => {
    const open = (): unknown => openConnection(agent(), { SPYHOP_PROPOSER_KEY: "sk-sécret" });
    expect(open).toThrow(/SPYHOP_PROPOSER_KEY: expected a key of printable ASCII/);
    expect(open).not.toThrow(/sécret/);
  });
});

describe("settings of the proposer", () => {
  it.each(["https://me:sk-secret@x.org", "https://x.org/?key=sk-secret", "sk-secret", "ftp://x.org/sk-secret"])(
    "refuse the address %s, without repeating it",
    (endpoint) => {
      const resolve = (): unknown => agent({ "proposer.endpoint": endpoint });
      expect(resolve).toThrow(ConfigError);
      expect(resolve).toThrow(/proposer\.endpoint: expected an http\(s\) address/);
      expect(resolve).not.toThrow(/sk-secret/);
    },
  );

  it.each<[string, string]>([
    ["proposer.kind", "human"],
    ["proposer.format", "gemini"],
    ["proposer.turns", "0"],
    ["proposer.retries", "-1"],
  ])("refuse %s=%s", (path, value) => {
    expect(() => agent({ [path]: value })).toThrow(ConfigError);
  });

  it("come from --proposer, whose names help and errors list", async () => {
    const help = fakeTerminal();
    await runCommandLine(["run", "--help"], help);
    expect(help.stdout()).toMatch(/--proposer evolve\|random\|agent\|model/);
    expect(help.stdout()).toMatch(/cannot be repeated bit for bit/);
    const wrong = fakeTerminal();
    expect(await runCommandLine(["run", "--proposer", "agnet"], wrong)).toBe(2);
    expect(wrong.stderr()).toMatch(/agent/);
  });
});

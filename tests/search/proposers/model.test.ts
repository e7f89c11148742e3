import { describe, expect, it } from "vitest";
import { ProposerError } from "../../../src/base/errors.ts";
import type { SearchView } from "../../../src/search/candidate.ts";
import { createModelProposer, type ModelQuestion } from "../../../src/search/proposers/model.ts";
import { createSearch } from "../../../src/search/scheduler.ts";
import { evaluateFake, FAKE_H0 } from "../fake-domain.ts";

function viewOf(source: string, count = 3): SearchView {
  const h0 = { source, parent: "", axis: "", hypothesis: "", mechanisms: [], name: "h0", iteration: 0 };
  const evaluation = { ...evaluateFake(FAKE_H0, 0, 8), causes: { "no answer": 2, "tool never called": 3 } };
  return { candidates: [{ ...h0, status: { kind: "evaluated", evaluation } }], incumbent: "h0", iteration: 1, count };
}

/** A policy that answers with `text`, and what it was asked. */
function policyOf(text: string) {
  const asked: ModelQuestion[] = [];
  return {
    asked,
    ask: (question: ModelQuestion) => {
      asked.push(question);
      return Promise.resolve({ text, tokens: 50 });
    },
  };
}

const ONE_CONSTANT = `export const TEXT = "old";\nexport async function solve(task, env) { return TEXT; }\n`;

describe("createModelProposer", () => {
  it("shows a part and the failures, most first, each candidate another part, and counts tokens", async () => {
    const { ask, asked } = policyOf("whatever");
    const proposer = createModelProposer({ ask, seed: 1 });
    const proposals = await proposer.propose(viewOf(FAKE_H0));
    expect(new Set(proposals.map(({ axis }) => axis)).size).toBe(3);
    expect(asked[0]?.prompt).toContain("It failed in 5 of 8 tasks: tool never called 3, no answer 2.");
    expect(asked[0]?.prompt).toContain(proposals[0]!.axis);
    expect(proposer.tokensUsed()).toBe(150);
  });

  it.each([
    ['"new"', '"new"'],
    ['const TEXT = "new";', '"new"'],
    ['Sure:\n```js\nexport const TEXT = "new";\n```\nGood luck.', '"new"'],
    ["so be it", "so be it"],
  ])("puts the reply %j in the place of a constant's value", async (reply, value) => {
    const proposer = createModelProposer({ ask: policyOf(reply).ask, seed: 1, promptOnly: true });
    const [proposal] = await proposer.propose(viewOf(ONE_CONSTANT, 1));
    expect(proposal).toMatchObject({ parent: "h0", axis: "TEXT", source: ONE_CONSTANT.replace('"old"', value) });
  });

  it("puts a function in the place of a function and keeps its export", async () => {
    const source = "export async function solve(task, env) { return 1; }\n";
    const reply = "```\nexport async function solve(task, env) { return 2; }\n```";
    const [proposal] = await createModelProposer({ ask: policyOf(reply).ask, seed: 1 }).propose(viewOf(source, 1));
    expect(proposal?.source).toBe("export async function solve(task, env) { return 2; }\n");
  });

  it("leaves what is no program to the checks, which record it", async () => {
    const search = createSearch({
      incumbentSource: FAKE_H0,
      proposer: createModelProposer({ ask: policyOf("The answer is 12 (").ask, seed: 1 }),
    });
    const [h0] = await search.ask();
    search.tell(h0!.name, evaluateFake(FAKE_H0, 0));
    expect(await search.ask()).toEqual([]);
    const checks = search
      .candidates()
      .slice(1)
      .map(({ status }) => (status.kind === "refused" ? status.check : ""));
    expect(checks).toEqual(["syntax", "syntax", "syntax"]);
  });

  it("asks with the same words and streams again when it is made anew, and keeps what was said", async () => {
    const [first, second] = [policyOf("x"), policyOf("x")];
    const records: unknown[] = [];
    const record = (iteration: number, about: object): Promise<void> => {
      records.push([iteration, about]);
      return Promise.resolve();
    };
    await createModelProposer({ ask: first.ask, seed: 4, phase: 2, record }).propose(viewOf(FAKE_H0));
    await createModelProposer({ ask: second.ask, seed: 4, phase: 2 }).propose(viewOf(FAKE_H0));
    expect(second.asked).toEqual(first.asked);
    expect(new Set(first.asked.map(({ stream }) => stream.join())).size).toBe(3);
    expect(records).toMatchObject([[1, { proposer: "model", asked: [{ reply: "x" }, {}, {}] }]]);
  });

  it("spends its iteration when no part may change", async () => {
    const source = "export async function solve(task, env) { return 1; }\n";
    const proposer = createModelProposer({ ask: policyOf("x").ask, seed: 1, promptOnly: true });
    await expect(proposer.propose(viewOf(source))).rejects.toThrow(ProposerError);
  });
});

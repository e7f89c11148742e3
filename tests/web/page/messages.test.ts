import { describe, expect, test } from "vitest";
import { blocksOf, leastLikely, markAnswers, probabilityLevel } from "../../../web/page/model/messages.ts";
import type { RolloutStep } from "../../../web/protocol/rollouts.ts";

const chat = (messages: readonly [role: "user" | "assistant", content: string][], text: string): RolloutStep => ({
  kind: "chat",
  messages: messages.map(([role, content]) => ({ role, content })),
  prefill: "",
  text,
  promptTokens: 4,
  finish: "end",
  tokens: [],
});

describe("blocks of a transcript", () => {
  test("blocksOf shows each message once when later turns repeat the conversation", () => {
    const steps: RolloutStep[] = [
      chat([["user", "2 + 2?"]], "<code>2+2</code>"),
      { kind: "tool", name: "run", args: ["2+2"], ok: true, result: '{"output":"4"}' },
      chat(
        [
          ["user", "2 + 2?"],
          ["assistant", "<code>2+2</code>"],
          ["user", "Output: 4"],
        ],
        "\\boxed{4}",
      ),
    ];
    expect(blocksOf(steps).map((block) => ("text" in block ? block.text : block.kind))).toEqual([
      "2 + 2?",
      "<code>2+2</code>",
      "tool",
      "Output: 4",
      "\\boxed{4}",
    ]);
  });

  test("blocksOf says why a reply was cut off", () => {
    const [, reply] = blocksOf([
      { ...(chat([["user", "q"]], "a") as Extract<RolloutStep, { kind: "chat" }>), finish: "length" },
    ]);
    expect(reply).toMatchObject({ kind: "reply", cut: expect.stringContaining("cut off") as string });
  });
});

describe("answers in passages", () => {
  test("markAnswers marks whole words only, whatever their case", () => {
    expect(
      markAnswers("Oslo lies on the Oslofjord; OSLO is old.", ["oslo"]).filter(({ isAnswer }) => isAnswer),
    ).toEqual([
      { text: "Oslo", isAnswer: true },
      { text: "OSLO", isAnswer: true },
    ]);
  });

  test("markAnswers takes the longest of answers that begin alike", () => {
    expect(markAnswers("in New York City", ["New York", "New York City"])[1]).toEqual({
      text: "New York City",
      isAnswer: true,
    });
  });

  test("markAnswers leaves the text whole when there is no answer", () => {
    expect(markAnswers("a (b)", [" "])).toEqual([{ text: "a (b)", isAnswer: false }]);
  });
});

describe("token colours", () => {
  test("probabilityLevel puts bounds into the lower step", () => {
    expect([0.001, 0.1, 0.11, 0.6, 0.95, 1].map(probabilityLevel)).toEqual([0, 0, 1, 2, 4, 4]);
  });

  test("leastLikely finds the least probable token", () => {
    const token = (text: string, probability: number) => ({ text, probability, isTrained: false });
    expect(leastLikely([token("a", 0.9), token("b", 0.2), token("c", 0.5)])?.text).toBe("b");
    expect(leastLikely([])).toBeUndefined();
  });
});

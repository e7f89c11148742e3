/**
 * Rollouts as conversations, for trainers elsewhere (TRL's conversational format, one `{"messages": [...]}` a line).
 *
 * A model call that goes on where an earlier conversation ended extends it; a harness that rewrote the history starts a
 * new one. The assistant's last message and every one that a call of this rollout made hold exactly what was sampled,
 * after the prefill that the harness put before it.
 */
import type { RolloutTrace, TraceStep } from "../rollout/trace.ts";

type Chat = Extract<TraceStep, { kind: "chat" }>;
type Messages = Chat["messages"];

/** One conversation of a rollout. */
export type Conversation = {
  readonly messages: Messages;
  /** Assistant messages that the model did not sample in this rollout, such as worked examples. */
  readonly unsampled: number;
};

/** The conversations of `trace`, in the order of their first call; none where the model was not asked. */
export function toConversations(trace: RolloutTrace): Conversation[] {
  const open: { messages: Messages; sampled: number }[] = [];
  for (const step of trace.steps) {
    if (step.kind !== "chat" || step.ids.length === 0) continue;
    const reply = { role: "assistant", content: step.prefill + step.text } as const;
    const messages = [...step.messages, reply];
    const at = open.findLastIndex((earlier) => isPrefix(earlier.messages, step.messages));
    const earlier = open[at];
    if (earlier === undefined) open.push({ messages, sampled: 1 });
    else open[at] = { messages, sampled: earlier.sampled + 1 };
  }
  return open.map(({ messages, sampled }) => ({
    messages,
    unsampled: messages.filter(({ role }) => role === "assistant").length - sampled,
  }));
}

function isPrefix(earlier: Messages, messages: Messages): boolean {
  return (
    earlier.length <= messages.length &&
    earlier.every(({ role, content }, i) => messages[i]?.role === role && messages[i].content === content)
  );
}

/** The same task before and after the run, message by message, so that a person can see what was learned. */
import { html, type Html } from "./html.ts";
import type { RunRecord, TranscriptPair } from "./run-record.ts";
import type { RolloutTrace, TraceStep } from "../rollout/trace.ts";

/** Sample transcripts of `run`, each as two columns. */
export function drawTranscripts({ transcripts }: RunRecord): Html {
  if (transcripts.length === 0)
    return html`<p class="quiet">This run kept no transcripts of one task before and after.</p>`;
  return html`${transcripts.map((pair, i) => drawPair(pair, i === 0))}`;
}

function drawPair({ before, after }: TranscriptPair, isOpen: boolean): Html {
  const body = html`<summary>
      Task <code>${before.task.slice(0, 8)}</code>: ${verdictWord(before)} before, ${verdictWord(after)} after
    </summary>
    <div class="pair">${drawTrace(before, "Before")}${drawTrace(after, "After")}</div>`;
  return isOpen ? html`<details open>${body}</details>` : html`<details>${body}</details>`;
}

function drawTrace(trace: RolloutTrace, title: string): Html {
  const { tokens, turns, toolCalls } = trace.usage;
  return html`<article class="transcript">
    <h3>${title} <span class="verdict ${trace.reward > 0.5 ? "is-right" : "is-wrong"}">${verdictWord(trace)}</span></h3>
    <p class="quiet">
      harness <code>${trace.harness.slice(0, 12)}</code> · ${tokens} sampled tokens · ${turns}
      ${turns === 1 ? "turn" : "turns"} · ${toolCalls} tool ${toolCalls === 1 ? "call" : "calls"}
    </p>
    ${drawSteps(trace.steps)}
    <p class="outcome">
      <b>${trace.outcome}</b>${trace.detail !== "" && ` (${trace.detail})`}: ${trace.reason || trace.message}
    </p>
  </article>`;
}

/** Messages that an earlier turn already showed are not repeated. */
function drawSteps(steps: readonly TraceStep[]): Html {
  let shown = new Set<string>();
  const out: Html[] = [];
  for (const step of steps) {
    if (step.kind === "tool") {
      const args = step.args.map((arg) => (typeof arg === "string" ? arg : JSON.stringify(arg))).join(", ");
      out.push(drawMessage("tool", `${step.name}(${args})`), drawMessage(step.ok ? "result" : "error", step.result));
    } else if (step.kind === "note") out.push(drawMessage("note", step.text));
    else {
      const keys = step.messages.map((message) => `${message.role}\n${message.content}`);
      step.messages.forEach((message, i) => {
        if (!shown.has(keys[i] ?? "")) out.push(drawMessage(message.role, message.content));
      });
      shown = new Set([...keys, `assistant\n${step.prefill}${step.text}`]);
      out.push(drawReply(step));
    }
  }
  return html`${out}`;
}

function drawReply(step: Extract<TraceStep, { kind: "chat" }>): Html {
  const cut = step.finish === "length" || step.finish === "context";
  return html`<div class="message sampled">
    <span class="role">model</span>
    <pre>
${step.prefill !== "" && html`<span class="prefill" title="put there by the harness, not sampled">${step.prefill}</span>`}${step.text}${cut && html`<span class="cut"> … cut off (${step.finish})</span>`}</pre>
  </div>`;
}

function drawMessage(role: string, text: string): Html {
  return html`<div class="message ${role}">
    <span class="role">${role}</span>
    <pre>${text}</pre>
  </div>`;
}

function verdictWord(trace: RolloutTrace): string {
  return trace.reward > 0.5 ? "right" : "wrong";
}

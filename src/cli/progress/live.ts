/** The few lines at the bottom of a terminal that are redrawn while a run goes on. */
import { bar, duration, grouped, percent, sparkline } from "./figures.ts";
import { remainingTime, shareDone, type ProgressState } from "./state.ts";

/** How much room there is, and whether colours are wanted. */
export type LiveOptions = { readonly columns: number; readonly isColoured: boolean };

/** A stretch of text in one colour. */
type Span = { readonly text: string; readonly colour?: "weights" | "harness" | "quiet" | "strong" };

/** ANSI codes; blue stands for weights and orange for the harness, as in the report. */
const CODES = { weights: "38;5;32", harness: "38;5;208", quiet: "2", strong: "1" } as const;

const BAR_WIDTH = 24;

/** The live lines for `state` at `now`, none wider than the terminal. */
export function formatLive(state: ProgressState, now: number, options: LiveOptions): string[] {
  const lines: Span[][] = [phaseLine(state), measureLine(state)];
  if (state.curve.length > 0) lines.push(curveLine(state));
  lines.push(timeLine(state, now));
  return lines.map((spans) => paint(clip(spans, options.columns - 1), options.isColoured));
}

function phaseLine({ phase, phaseDone, batch, config }: ProgressState): Span[] {
  if (phase === undefined || batch?.use === "evaluation")
    return [{ text: "evaluation", colour: "strong" }, ...batchSpans(batch)];
  const { part, cycle, length } = phase;
  const unit = part === "weights" ? "step" : "round";
  // Round 0 of a search is the evaluation of the incoming harness.
  const current = Math.min(part === "weights" ? phaseDone + 1 : phaseDone, length);
  const most = config.condition === "adaptive" ? " at most" : "";
  return [
    { text: `${part} ${String(cycle)}`, colour: part },
    { text: `  ${unit} ${String(current)} of${most} ${String(length)}` },
    ...batchSpans(batch),
  ];
}

function batchSpans(batch: ProgressState["batch"]): Span[] {
  if (batch === undefined) return [];
  const count = `  rollout ${grouped(batch.done)} of ${grouped(batch.total)}`;
  return [{ text: `${count}, reward ${percent(batch.reward)} so far`, colour: "quiet" }];
}

function measureLine({ lastStep, step, bestReward, harness }: ProgressState): Span[] {
  const spans: Span[] = [{ text: "harness " }, { text: harness, colour: "harness" }];
  if (bestReward !== undefined) spans.push({ text: ` at ${percent(bestReward)} of its search tasks` });
  if (lastStep === undefined) return spans;
  const { reward, acceptRate, completionLength } = lastStep;
  const figures = `reward ${percent(reward)}, accepted ${percent(acceptRate)}, ${completionLength.toFixed(0)} tokens`;
  return [...spans, { text: "   step " }, { text: String(step), colour: "weights" }, { text: `: ${figures}` }];
}

function curveLine({ curve }: ProgressState): Span[] {
  const values = curve.map((point) => point.validation.meanAt8);
  const most = Math.max(...values);
  const spans: Span[] = [{ text: "validation " }];
  curve.forEach((point, i) => {
    const text = sparkline([values[i] ?? 0], most);
    spans.push(point.phase === "base" ? { text } : { text, colour: point.phase });
  });
  return [...spans, { text: ` ${percent(values[0] ?? 0)} → ${percent(values.at(-1) ?? 0)}`, colour: "strong" }];
}

function timeLine(state: ProgressState, now: number): Span[] {
  const share = shareDone(state);
  const left = remainingTime(state, now);
  const most = state.config.condition === "adaptive" ? "at most" : "about";
  const time = left === undefined ? "" : `, ${most} ${duration(left)} left`;
  return [
    { text: bar(share, BAR_WIDTH), colour: "quiet" },
    { text: ` ${String(Math.floor(100 * share))} %  ${duration(now - state.startedAt)}${time}` },
  ];
}

function clip(spans: readonly Span[], width: number): Span[] {
  const out: Span[] = [];
  let left = Math.max(0, width);
  for (const span of spans) {
    const characters = Array.from(span.text);
    if (characters.length > left) {
      out.push({ ...span, text: left > 0 ? `${characters.slice(0, left - 1).join("")}…` : "" });
      break;
    }
    out.push(span);
    left -= characters.length;
  }
  return out;
}

function paint(spans: readonly Span[], isColoured: boolean): string {
  return spans
    .map(({ text, colour }) => (isColoured && colour !== undefined ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text))
    .join("");
}

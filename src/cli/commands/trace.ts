/** `trace DIR`: which rollouts a run kept, and any one of them to read. */
import type { JsonObject } from "../../base/json.ts";
import { findTraces, listTraces, sampleOf, type FoundTrace, type TraceListing } from "../../report/read-traces.ts";
import type { RolloutTrace, TraceStep } from "../../rollout/trace.ts";
import { requireValue, type Arguments } from "../args.ts";
import { grouped, percent, plural } from "../progress/figures.ts";
import { openRunView } from "../saved-run.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";

/** Lists the kept rollouts, or prints one of the task that `--task` names. */
export async function trace(args: Arguments, terminal: Terminal): Promise<number> {
  const folder = requireValue(args.positionals[0], "DIR");
  const view = await openRunView(folder);
  const task = args.text("task");
  if (task === undefined) {
    const listings = await listTraces(view);
    if (args.flag("json")) printJson(terminal, { schema: 1, files: listings.map(describeListing) });
    else terminal.out(formatListings(folder, listings));
    return 0;
  }
  const found = await findTraces(view, {
    task,
    phase: args.integer("phase"),
    step: args.integer("step"),
    sample: args.integer("sample"),
  });
  const first = requireValue(found[0], "--task");
  if (args.flag("json"))
    printJson(terminal, { schema: 1, header: first.header, trace: asJson(first.trace), matches: found.length });
  else {
    terminal.out(formatTrace(first, { isColoured: terminal.isOutColoured, showIds: args.flag("ids") }));
    if (found.length > 1)
      printNote(terminal, `one of ${grouped(found.length)} that match; --phase, --step and --sample tell them apart`);
  }
  return 0;
}

function describeListing({ path, header }: TraceListing): JsonObject {
  return { path, ...header };
}

/** A trace as JSON; what a harness did not return is absent. */
function asJson(trace: RolloutTrace): JsonObject {
  return JSON.parse(JSON.stringify(trace)) as JsonObject;
}

function formatListings(folder: string, listings: readonly TraceListing[]): string {
  const rows = listings.map(({ header }) => [
    String(header.phase),
    header.use,
    header.purpose,
    header.harness,
    String(header.step),
    header.kept === header.rollouts
      ? grouped(header.rollouts)
      : `${grouped(header.kept)} of ${grouped(header.rollouts)}`,
    percent(header.reward),
  ]);
  const table = [["phase", "use", "purpose", "harness", "step", "rollouts", "reward"], ...rows];
  const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? [];
  const isFigure = (i: number): boolean => i === 0 || i >= 4;
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (isFigure(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join("  ");
  const total = listings.reduce((sum, { header }) => sum + header.kept, 0);
  return [
    ...table.map((row) => line(row).trimEnd()),
    `${plural(total, "rollout")} kept; read one with: spyhop trace ${folder} --task 1 [--phase N] [--step N] [--sample N]`,
    "",
  ].join("\n");
}

type Chat = Extract<TraceStep, { kind: "chat" }>;
type TraceStyle = { readonly isColoured: boolean; readonly showIds: boolean };
type Paint = (text: string) => string;

/** Blue for what the model sampled, orange for harness and tools, as on the report. */
function paints(isColoured: boolean): Readonly<Record<"bold" | "quiet" | "sampled" | "harness", Paint>> {
  const code = (open: string): Paint => (isColoured ? (text) => `\x1b[${open}m${text}\x1b[0m` : (text) => text);
  return { bold: code("1"), quiet: code("2"), sampled: code("38;5;33"), harness: code("38;5;208") };
}

/** One rollout as lines: where it stands, how it ended and why, then what happened, in order. */
export function formatTrace({ header, trace }: FoundTrace, style: TraceStyle): string {
  const paint = paints(style.isColoured);
  const { usage, outcome, detail, message } = trace;
  const used = `${plural(usage.tokens, "sampled token")}, ${plural(usage.turns, "turn")}, ${plural(usage.toolCalls, "tool call")}`;
  return [
    paint.bold(`task ${trace.task}, sample ${String(sampleOf(trace))}`),
    `phase ${String(header.phase)}, ${header.purpose}, harness ${header.harness}, step ${String(header.step)}`,
    `reward ${String(trace.reward)}: ${trace.reason} (${outcome}${detail === "" ? "" : `, ${detail}`})${message === "" ? "" : `: ${message}`}`,
    ...formatSteps(trace.steps, style),
    "",
    `returned ${trace.returned === undefined ? "nothing" : JSON.stringify(trace.returned)}; ${used}`,
    "",
  ].join("\n");
}

/** Messages that an earlier call already showed are not repeated. */
function formatSteps(steps: readonly TraceStep[], style: TraceStyle): string[] {
  const paint = paints(style.isColoured);
  let shown = new Set<string>();
  const lines: string[] = [];
  const block = (title: string, text: string, as: Paint = (t) => t): void => {
    lines.push("", title, ...text.split("\n").map((line) => `  ${as(visible(line))}`));
  };
  for (const step of steps) {
    if (step.kind === "tool") {
      const args = step.args.map((arg) => JSON.stringify(arg)).join(", ");
      block(paint.harness(`tool ${step.name}(${args})${step.ok ? "" : " failed"}`), step.result);
    } else if (step.kind === "note") block(paint.quiet("note"), step.text, paint.quiet);
    else {
      const keys = step.messages.map(({ role, content }) => `${role}\n${content}`);
      for (const [i, { role, content }] of step.messages.entries())
        if (!shown.has(keys[i] ?? "")) block(paint.bold(role), content);
      shown = new Set([...keys, `assistant\n${step.prefill}${step.text}`]);
      lines.push("", paint.sampled(describeReply(step)), ...formatReply(step, paint));
      if (style.showIds)
        for (const [i, id] of step.ids.entries())
          lines.push(paint.quiet(`  ${String(id).padStart(7)}  ln p ${(step.logprobs[i] ?? 0).toFixed(4)}`));
    }
  }
  return lines;
}

/** The prefill in the harness's colour, then what was sampled. */
function formatReply({ prefill, text }: Chat, paint: ReturnType<typeof paints>): string[] {
  const put = prefill.split("\n").map((line) => visible(line));
  const sampled = text.split("\n").map((line) => visible(line));
  const seam = `  ${put.at(-1) === "" ? "" : paint.harness(put.at(-1) ?? "")}${paint.sampled(sampled[0] ?? "")}`;
  return [
    ...put.slice(0, -1).map((line) => `  ${paint.harness(line)}`),
    seam,
    ...sampled.slice(1).map((line) => `  ${paint.sampled(line)}`),
  ];
}

/** A text may hold anything, so also sequences that a terminal would obey. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) =>
    char === "\t" ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function describeReply({ ids, logprobs, prefill, finish, promptTokens }: Chat): string {
  const sum = logprobs.reduce((total, value) => total + value, 0);
  const from = prefill === "" ? "" : ", after a prefill";
  return `model: ${plural(ids.length, "token")} after ${grouped(promptTokens)}${from}, ended by ${finish}, ln p ${sum.toFixed(3)}`;
}

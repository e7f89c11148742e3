/**
 * The report as one self-contained HTML page: what happened, how sure we are of it, and how to look closer. It loads
 * nothing from outside and runs no script.
 */
import type { Accuracy } from "../experiment/summary.ts";
import { drawAccuracy, drawAccuracyLegend, overlayLabel } from "./accuracy-chart.ts";
import { drawCandidates } from "./candidates.ts";
import { formatCount, formatShare } from "./chart.ts";
import { drawDocument } from "./document.ts";
import { drawHarness } from "./harness-diff.ts";
import { drawGrid } from "./grid-chart.ts";
import { html, type Html } from "./html.ts";
import { describeRun, type RunRecord } from "./run-record.ts";
import { drawStepCharts } from "./step-charts.ts";
import { drawTable } from "./tables.ts";
import { drawTranscripts } from "./transcripts.ts";

/**
 * The report of `runs`: in full for one, overlaid with a section each for several.
 * @throws {RangeError} If there is none.
 */
export function renderReport(runs: readonly RunRecord[]): string {
  const [first] = runs;
  if (first === undefined) throw new RangeError("renderReport: no runs given");
  const title = runs.length === 1 ? describeRun(first) : `${String(runs.length)} runs`;
  const body = runs.length === 1 ? drawOne(first) : drawMany(runs);
  return drawDocument(title, body);
}

/** One sentence that says what came out, and no more than the intervals allow. */
export function concludeRun({ base, chosen, isComplete }: RunRecord): string {
  if (base === undefined || chosen === undefined) return "This run has not been evaluated yet.";
  const start = isComplete ? "" : "So far: ";
  const gain = chosen.test.meanAt8 - base.test.meanAt8;
  const points = `${gain >= 0 ? "+" : "−"}${Math.abs(100 * gain).toFixed(1)} points`;
  if (chosen.rollouts === base.rollouts)
    return `${start}No point was better on validation than the base, which scores ${formatShare(base.test.meanAt8)} on test.`;
  const move = `Test accuracy went from ${formatShare(base.test.meanAt8)} to ${formatShare(chosen.test.meanAt8)} (${points})`;
  const areApart = chosen.test.low > base.test.high || chosen.test.high < base.test.low;
  const doubt = areApart ? "" : "; the two intervals overlap, so this is not yet told apart from chance";
  return `${start}${move} after ${formatCount(chosen.rollouts)} rollouts${doubt}.`;
}

function drawOne(run: RunRecord): Html {
  return html`<header class="top">
      <p class="eyebrow">Spyhop · ${describeRun(run)} · model ${run.model} · ${run.device}</p>
      <h1>${titleOf(run)}</h1>
      <p class="lead">${concludeRun(run)}</p>
      ${!run.isComplete && html`<p class="warning">This run is not complete. Continue it with <code>spyhop resume ${run.folder}</code>.</p>`}
      ${drawTiles(run)}
    </header>
    <main>
      ${drawCurves([run])}
      ${
        run.grid !== undefined &&
        html`<section>
          <h2>Weights against harness</h2>
          <p>Every set of weights that the run kept with every harness: what either is worth without the other.</p>
          ${drawGrid(run)}
        </section>`
      }
      <section>
        <h2>What the harness became</h2>
        <p>
          The harness is the program around the model: it asks, calls tools and reads the answer. The search rewrote it
          where rollouts failed.
        </p>
        ${drawHarness(run)}
      </section>
      <section>
        <h2>Candidates</h2>
        ${drawCandidates(run)}
      </section>
      <section>
        <h2>The same task, before and after</h2>
        <p class="quiet">Blue: sampled by the model. Underlined: put there by the harness. Orange: tools.</p>
        ${drawTranscripts(run)}
      </section>
      <section>
        <h2>What it cost, and how to repeat it</h2>
        <div class="columns">
          ${drawTable(run.ledger, "Ledger")}
          <div>
            ${drawIdentity(run)}
            <details>
              <summary>All settings</summary>
              ${drawTable(run.config, "Settings")}
            </details>
          </div>
        </div>
      </section>
    </main>
    ${drawFooter()}`;
}

function titleOf(run: RunRecord): string {
  const parts = new Set(run.phases.map((phase) => phase.kind));
  if (parts.size === 2) return "Weights and harness, taking turns";
  if (parts.has("weights")) return "Training the weights under a fixed harness";
  return parts.has("harness") ? "Searching the harness for fixed weights" : "Before the first phase";
}

function drawTiles(run: RunRecord): Html {
  const tile = (name: string, accuracy: Accuracy | undefined, note: string): Html =>
    html`<div class="tile ${name === "Chosen" ? "is-chosen" : ""}">
      <span>${name}</span><b>${accuracy === undefined ? "–" : formatShare(accuracy.meanAt8)}</b
      ><span>${accuracy === undefined ? "" : `[${formatShare(accuracy.low)}, ${formatShare(accuracy.high)}]`}</span
      ><span>${note}</span>
    </div>`;
  return html`<div class="tiles">
    ${tile("Base", run.base?.test, "first harness, untrained weights")}
    ${tile("Chosen", run.chosen?.test, `best on validation, harness ${run.chosen?.harness ?? "–"}`)}
    ${tile("Final", run.final?.test, "after the last phase")}
    ${tile("Best on test", run.bestOnTest?.test, "chosen by looking at test: flattering, not our result")}
  </div>`;
}

function drawCurves(runs: readonly RunRecord[]): Html {
  return html`<section>
    <h2>Accuracy against rollouts</h2>
    <p>
      A rollout is one attempt at one task.
      ${
        runs.length === 1 &&
        html`In a <span class="w">weights</span> phase the model learns from its own right answers; in a
          <span class="h">harness</span> phase the program around it is rewritten.`
      }
    </p>
    <figure class="card wide">${drawAccuracy(runs)}${drawAccuracyLegend(runs)}</figure>
    <h2>Inside the weight phases</h2>
    ${drawStepCharts(runs)}
  </section>`;
}

function drawIdentity(run: RunRecord): Html {
  const facts = {
    domain: run.domain,
    condition: run.condition,
    preset: run.preset,
    seed: run.seed,
    model: run.model,
    "model hash": run.modelHash,
    device: run.device,
    folder: run.folder,
  };
  return drawTable(facts, "This run");
}

function drawMany(runs: readonly RunRecord[]): Html {
  return html`<header class="top">
      <p class="eyebrow">Spyhop · ${runs.length} runs</p>
      <h1>Side by side</h1>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Run</th>
              <th class="figure">Base, test</th>
              <th class="figure">Chosen, test</th>
              <th class="figure">Final, test</th>
              <th class="figure">Rollouts</th>
              <th>Conclusion</th>
            </tr>
          </thead>
          <tbody>
            ${runs.map((run) => drawSummaryRow(run, runs))}
          </tbody>
        </table>
      </div>
    </header>
    <main>
      ${drawCurves(runs)}
      ${runs.map(
        (run) =>
          html`<section>
            <h2>${overlayLabel(run, runs)}</h2>
            <p>${concludeRun(run)}</p>
            <details>
              <summary>Harness</summary>
              ${drawHarness(run)}
            </details>
            <details>
              <summary>Candidates</summary>
              ${drawCandidates(run)}
            </details>
            <details>
              <summary>Transcripts</summary>
              ${drawTranscripts(run)}
            </details>
            <details>
              <summary>Ledger and settings</summary>
              <div class="columns">${drawTable(run.ledger, "Ledger")}${drawIdentity(run)}</div>
              ${drawTable(run.config, "Settings")}
            </details>
          </section>`,
      )}
    </main>
    ${drawFooter()}`;
}

function drawSummaryRow(run: RunRecord, runs: readonly RunRecord[]): Html {
  const cell = (accuracy: Accuracy | undefined): Html =>
    html`<td class="figure">
      ${accuracy === undefined ? "–" : html`${formatShare(accuracy.meanAt8)}<br /><small class="quiet">[${formatShare(accuracy.low)}, ${formatShare(accuracy.high)}]</small>`}
    </td>`;
  return html`<tr>
    <th scope="row">${overlayLabel(run, runs)}<br /><small class="quiet">${run.folder}</small></th>
    ${cell(run.base?.test)}${cell(run.chosen?.test)}${cell(run.final?.test)}
    <td class="figure">${formatCount(run.curve.at(-1)?.rollouts ?? 0)}</td>
    <td>${concludeRun(run)}</td>
  </tr>`;
}

function drawFooter(): Html {
  return html`<footer>
    Intervals are bootstrap intervals over tasks. The chosen point is the best on validation; test is only reported.
    Method: WHALE, arXiv 2609.00196.
  </footer>`;
}

/** The table of candidate harnesses: what was tried, why, and what became of it. */
import { formatShare } from "./chart.ts";
import { html, type Html } from "./html.ts";
import type { CandidateRow, RunRecord } from "./run-record.ts";

/** The candidates of `run` in order of proposal. */
export function drawCandidates({ candidates }: RunRecord): Html {
  if (candidates.length === 0) return html`<p class="quiet">No harness phase ran, so no candidates were proposed.</p>`;
  const evaluated = candidates.filter((row) => row.score !== undefined).length;
  const accepted = candidates.filter((row) => row.isAccepted).length;
  return html`<p>
      ${candidates.length} candidates were proposed, ${evaluated} evaluated, ${candidates.length - evaluated} refused
      before that; ${accepted} became the harness to beat.
    </p>
    <div class="scroll">
      <table class="candidates">
        <thead>
          <tr>
            <th>Name</th>
            <th>From</th>
            <th class="figure">Cycle</th>
            <th>Axis</th>
            <th>Hypothesis</th>
            <th class="figure">Score</th>
            <th>Fate</th>
          </tr>
        </thead>
        <tbody>
          ${candidates.map(drawRow)}
        </tbody>
      </table>
    </div>`;
}

function drawRow(row: CandidateRow): Html {
  const fate = row.isAccepted ? "accepted" : row.refused !== "" ? "refused" : "not better";
  return html`<tr class="${row.isAccepted ? "is-accepted" : row.refused !== "" ? "is-refused" : ""}">
    <td><code>${row.name}</code></td>
    <td><code>${row.parent}</code></td>
    <td class="figure">${row.cycle}</td>
    <td>${row.axis}</td>
    <td>${row.hypothesis}${row.mechanisms.length > 0 && html`<br /><small>${row.mechanisms.join(", ")}</small>`}</td>
    <td class="figure">
      ${row.score === undefined ? "–" : html`${formatShare(row.score)}<span class="bar"><i style="width: ${(100 * row.score).toFixed(1)}%"></i></span>`}
    </td>
    <td>${fate}${row.refused !== "" && html`<br /><small>${row.refused}</small>`}</td>
  </tr>`;
}

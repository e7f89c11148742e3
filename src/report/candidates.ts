/** The table of candidate harnesses: what was tried, why, and what became of it. */
import { formatPoints, formatShare } from "./chart.ts";
import { html, type Html } from "./html.ts";
import type { CandidateRow, ConfirmedWinner, RunRecord } from "./run-record.ts";

/** The candidates of `run` in order of proposal. */
export function drawCandidates({ candidates, confirmations }: RunRecord): Html {
  if (candidates.length === 0) return html`<p class="quiet">No harness phase ran, so no candidates were proposed.</p>`;
  const evaluated = candidates.filter((row) => row.score !== undefined).length;
  const accepted = candidates.filter((row) => row.isAccepted).length;
  return html`<p>
      ${candidates.length} candidates were proposed, ${evaluated} evaluated, ${candidates.length - evaluated} refused
      before that; ${accepted} became the harness to beat.
    </p>
    ${
      confirmations.length > 0 &&
      html`<ul class="notes">
        ${confirmations.map(drawConfirmation)}
      </ul>`
    }
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

/** A search flatters its winner, the best of several noisy scores; fresh tasks do not. */
function drawConfirmation({
  harness,
  cycle,
  tasks,
  reward,
  incoming,
  gain,
  searchReward,
  bestOf,
}: ConfirmedWinner): Html {
  return html`<li>
    <code>${harness}</code>, cycle ${cycle}: ${formatShare(reward)} on ${tasks} fresh tasks against
    ${formatShare(incoming)} of the harness before it, ${formatPoints(gain.mean)} [${formatPoints(gain.low)},
    ${formatPoints(gain.high)}]; in the search it scored ${formatShare(searchReward)} as the best of ${bestOf}.
  </li>`;
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

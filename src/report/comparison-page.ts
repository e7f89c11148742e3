/** The comparison of conditions as one self-contained page: what came out, how sure it is, and what was left out. */
import type { MeanInterval } from "../stats/bootstrap.ts";
import { formatCount, formatPoints, formatShare } from "./chart.ts";
import type { ComparedCondition, Comparison, DomainComparison } from "./comparison.ts";
import { countSeeds, drawConditions, drawEachCondition, seriesClass } from "./conditions-chart.ts";
import { drawDifferences } from "./difference-chart.ts";
import { drawGrid } from "./grid-chart.ts";
import { html, type Html } from "./html.ts";
import { drawDocument } from "./document.ts";

/** The page as text. */
export function renderComparison(comparison: Comparison): string {
  const { domains, leftOut } = comparison;
  const count = new Set(domains.flatMap(({ conditions }) => conditions.map(({ label }) => label))).size;
  return drawDocument(
    "comparison",
    html`<header class="top">
        <p class="eyebrow">
          Spyhop · ${count} ${count === 1 ? "condition" : "conditions"} on
          ${domains.map(({ domain }) => domain).join(", ")}
        </p>
        <h1>Conditions compared</h1>
        ${domains.map((domain) => html`<p class="lead">${concludeDomain(domain)}</p>`)}
      </header>
      <main>
        ${domains.map(drawDomain)}
        ${
          leftOut.length > 0 &&
          html`<section>
            <h2>Left out</h2>
            <ul>
              ${leftOut.map(({ folder, reason }) => html`<li><code>${folder}</code>: ${reason.replace(`${folder}: `, "")}</li>`)}
            </ul>
          </section>`
        }
      </main>
      <footer>
        Intervals are percentile bootstrap intervals over seeds and tasks; with few seeds they are too narrow. The
        chosen point is the best on validation; best on test is how the paper chose, and flatters. p-values over tasks
        hold for these runs; those over seeds speak of new runs and need many. Method: WHALE, arXiv 2609.00196.
      </footer>`,
  );
}

/** One sentence that says which condition came out best, and no more than the intervals allow. */
export function concludeDomain({ domain, conditions, differences }: DomainComparison): string {
  const ranked = conditions.toSorted((a, b) => b.measures.chosen.mean - a.measures.chosen.mean);
  const [best, second] = ranked;
  if (best === undefined) return `On ${domain} nothing could be compared.`;
  const reached = `${best.label} reached ${formatShare(best.measures.chosen.mean)} on test`;
  if (second === undefined) return `On ${domain}, ${reached}, from ${formatShare(best.measures.base.mean)}.`;
  const compared = differences.find(({ first, second: other }) =>
    [first, other].every((name) => name === best.label || name === second.label),
  );
  const { low, high } = compared?.measures.chosen ?? { low: 0, high: 0 };
  const doubt = low > 0 || high < 0 ? "" : ", which is not told apart";
  return `On ${domain}, ${reached}; next is ${second.label} with ${formatShare(second.measures.chosen.mean)}${doubt}.`;
}

function drawDomain(domain: DomainComparison): Html {
  const { conditions, differences, notes } = domain;
  const reference = conditions[0]?.label ?? "";
  const against = differences.filter(({ second }) => second === reference);
  const gridded = conditions.flatMap((condition) =>
    condition.runs.filter(({ grid }) => grid !== undefined).map((run) => ({ condition, run })),
  );
  return html`<section>
    <h2>${domain.domain}</h2>
    <figure class="card wide">${drawConditions(domain)}</figure>
    <p class="quiet">
      Lines are means over seeds and tasks on test, bands their intervals. The strips show what the first run of each
      condition was working on: <span class="w">weights</span> or <span class="h">harness</span>.
    </p>
    ${
      notes.length > 0 &&
      html`<ul class="notes">
        ${notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }
    <div class="scroll">${drawMeasures(domain)}</div>
    ${
      against.length > 0 &&
      html`<h3 class="apart">Difference of the chosen points</h3>
        <figure class="card wide">${drawDifferences(against, "chosen")}</figure>
        <p class="quiet">Open circles: the interval holds zero, so the two are not told apart.</p>
        <details>
          <summary>Every pair, every figure</summary>
          <div class="scroll">${drawPairs(domain)}</div>
        </details>
        <h3 class="apart">Rollouts to rise above the peak of another</h3>
        <div class="scroll">${drawPasses(domain)}</div>`
    }
    <h3 class="apart">Each condition</h3>
    ${drawEachCondition(domain)}
    ${gridded.map(
      ({ condition, run }) =>
        html`<h3 class="apart">Weights against harness: ${condition.label}, seed ${run.seed}</h3>
          ${drawGrid(run)}`,
    )}
  </section>`;
}

function drawMeasures({ conditions, budget }: DomainComparison): Html {
  return html`<table>
    <thead>
      <tr>
        <th>Condition</th>
        <th class="figure">Base</th>
        <th class="figure">Chosen on validation</th>
        <th class="figure">Best on test</th>
        <th class="figure">Final</th>
        <th class="figure">Area to ${formatCount(budget)}</th>
        <th class="figure">Rollouts</th>
      </tr>
    </thead>
    <tbody>
      ${conditions.map((condition, i) => drawMeasureRow(condition, seriesClass(conditions, i)))}
    </tbody>
  </table>`;
}

function drawMeasureRow(condition: ComparedCondition, series: string): Html {
  const { measures, label, curve, unfinished } = condition;
  const cell = ({ mean, low, high }: MeanInterval): Html =>
    html`<td class="figure">
      ${formatShare(mean)}<br /><small class="quiet">[${formatShare(low)}, ${formatShare(high)}]</small>
    </td>`;
  return html`<tr>
    <th scope="row">
      <i class="swatch ${series}"></i> ${label}<br /><small class="quiet"
        >${countSeeds(condition)}${unfinished && ", unfinished"}</small
      >
    </th>
    ${cell(measures.base)}${cell(measures.chosen)}${cell(measures.bestOnTest)}${cell(measures.final)}${cell(measures.area)}
    <td class="figure">${formatCount(curve.at(-1)?.rollouts ?? 0)}</td>
  </tr>`;
}

function drawPairs({ differences }: DomainComparison): Html {
  const cell = (
    difference: DomainComparison["differences"][number],
    measure: "chosen" | "bestOnTest" | "final" | "area",
  ): Html => {
    const { difference: mean, low, high, pValue, pSeeds } = difference.measures[measure];
    const seeds = pSeeds === null ? "" : `, ${pSeeds.toFixed(2)} over seeds`;
    return html`<td class="figure">
      ${formatPoints(mean)}<br /><small class="quiet"
        >[${formatPoints(low)}, ${formatPoints(high)}]<br />p ${pValue.toFixed(4)}${seeds}</small
      >
    </td>`;
  };
  return html`<table>
    <thead>
      <tr>
        <th>Difference</th>
        <th>Pairs</th>
        <th class="figure">Chosen</th>
        <th class="figure">Best on test</th>
        <th class="figure">Final</th>
        <th class="figure">Area</th>
      </tr>
    </thead>
    <tbody>
      ${differences.map(
        (difference) =>
          html`<tr>
            <th scope="row">${difference.first} minus ${difference.second}</th>
            <td>
              ${difference.paired ? `${formatCount(difference.tasks)} tasks, ${String(difference.seeds)} seeds` : "unpaired"}
            </td>
            ${cell(difference, "chosen")}${cell(difference, "bestOnTest")}${cell(difference, "final")}${cell(difference, "area")}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function drawPasses({ conditions, passes }: DomainComparison): Html {
  return html`<table>
    <thead>
      <tr>
        <th>Peak of ↓ passed by →</th>
        ${conditions.map(({ label }) => html`<th class="figure">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${conditions.map(
        ({ label, curve }) =>
          html`<tr>
            <th scope="row">
              ${label}<br /><small class="quiet">${formatShare(Math.max(...curve.map(({ mean }) => mean)))}</small>
            </th>
            ${conditions.map((other) => {
              const pass = passes.find(({ first, second }) => first === other.label && second === label);
              return html`<td class="figure">
                ${pass === undefined ? html`<span class="quiet">reached at ${formatCount(peakAt(curve))}</span>` : pass.rollouts === null ? "never" : formatCount(pass.rollouts)}
              </td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function peakAt(curve: ComparedCondition["curve"]): number {
  return curve.reduce((best, point) => (point.mean > best.mean ? point : best)).rollouts;
}

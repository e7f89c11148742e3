/**
 * The two-axis picture (WHALE, arXiv 2609.00196, figure a): weights to the right, harness upwards, a cell for the score of
 * each pair, and the run's own way through them. Steps along the weights are blue, those along the harness orange.
 */
import type { Grid, GridCell } from "../experiment/grid.ts";
import { drawSvg, formatShare, linePath, shorten, type Frame, type Point } from "./chart.ts";
import { html, type Html } from "./html.ts";
import type { RunRecord } from "./run-record.ts";

const [CELL_WIDTH, CELL_HEIGHT] = [96, 52];
const [LEFT, RIGHT, TOP, BOTTOM] = [96, 20, 12, 52];

/** The section of a run that has a grid; nothing for one that has none. */
export function drawGrid(run: RunRecord): Html {
  const { grid } = run;
  if (grid === undefined || grid.cells.length === 0) return html``;
  const complete = grid.weights.length * grid.harnesses.length;
  return html`<figure class="card wide">
    ${drawPlane(grid, run)}
    <figcaption>
      Accuracy on ${grid.split}, ${grid.tasks} tasks, ${grid.samples} ${grid.samples === 1 ? "rollout" : "rollouts"}
      each. ${grid.cells.length < complete && html`Not complete: ${grid.cells.length} of ${complete} cells. `} The line
      is the way of the run: <span class="w">blue</span> where weights were trained, <span class="h">orange</span> where
      the harness was searched.
    </figcaption>
  </figure>`;
}

type Place = { readonly column: number; readonly row: number };

function drawPlane(grid: Grid, run: RunRecord): Html {
  const { weights, harnesses, cells } = grid;
  const frame: Frame = {
    width: LEFT + RIGHT + CELL_WIDTH * weights.length,
    height: TOP + BOTTOM + CELL_HEIGHT * harnesses.length,
    left: LEFT,
    right: RIGHT,
    top: TOP,
    bottom: BOTTOM,
  };
  // The first harness lies at the bottom.
  const placeOf = ({ step, harness }: { readonly step: number; readonly harness: string }): Place => ({
    column: weights.findLastIndex((known) => known.step <= step),
    row: harnesses.length - 1 - harnesses.findIndex(({ name }) => name === harness),
  });
  const scores = cells.map(({ mean }) => mean);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  return drawSvg(frame, `Accuracy of every pair of weights and harness on ${grid.split}, with the run's way`, [
    html`<g class="heat"
      >${cells.map((cell) => drawCell(cell, placeOf(cell), (cell.mean - least) / Math.max(most - least, 1e-9)))}</g
    >`,
    html`<g class="axis">
      ${weights.map(({ step }, i) => html`<text x="${centre({ column: i, row: 0 })[0]}" y="${frame.height - BOTTOM + 18}" text-anchor="middle">step ${step}</text>`)}
      ${harnesses.map(({ name }, i) => html`<text x="${LEFT - 8}" y="${centre({ column: 0, row: harnesses.length - 1 - i })[1] + 4}" text-anchor="end">${name}</text>`)}
      <text
        class="axis-title w"
        x="${shorten((LEFT + frame.width - RIGHT) / 2)}"
        y="${frame.height - 12}"
        text-anchor="middle"
        >weights →</text
      >
      <text
        class="axis-title h"
        transform="translate(14 ${shorten((TOP + frame.height - BOTTOM) / 2)}) rotate(-90)"
        text-anchor="middle"
        >harness →</text
      >
    </g>`,
    drawWay(run, placeOf),
  ]);
}

function centre({ column, row }: Place): Point {
  return [LEFT + CELL_WIDTH * (column + 0.5), TOP + CELL_HEIGHT * (row + 0.5)];
}

function drawCell(cell: GridCell, { column, row }: Place, warmth: number): Html {
  const [x, y] = [LEFT + CELL_WIDTH * column, TOP + CELL_HEIGHT * row];
  const what = `step ${String(cell.step)} with ${cell.harness}: ${formatShare(cell.mean)} [${formatShare(cell.low)}, ${formatShare(cell.high)}]`;
  return html`<g class="cell ${warmth > 0.55 ? "is-dark" : ""}">
    <rect
      x="${x + 1}"
      y="${y + 1}"
      width="${CELL_WIDTH - 2}"
      height="${CELL_HEIGHT - 2}"
      fill-opacity="${(0.06 + 0.84 * warmth).toFixed(3)}"
      ><title>${what}</title></rect
    >
    <text x="${x + 8}" y="${y + 18}">${(100 * cell.mean).toFixed(1)}</text>
  </g>`;
}

/** Straight pieces between the points of the curve; a phase that changed nothing leaves no piece. */
function drawWay(run: RunRecord, placeOf: (point: { readonly step: number; readonly harness: string }) => Place): Html {
  const stops = run.curve.flatMap((point) => {
    const place = placeOf(point);
    const isThere = place.column >= 0 && place.row < (run.grid?.harnesses.length ?? 0);
    return isThere ? [{ point, at: lower(centre(place)) }] : [];
  });
  return html`<g class="way">
    ${stops.slice(1).map(({ point, at }, i) => html`<path class="${point.phase}" d="${linePath([stops[i]?.at ?? at, at])}" />`)}
    ${stops.map(
      ({ point, at: [x, y] }) =>
        html`<circle class="${point.phase}" cx="${x}" cy="${y}" r="${isChosen(run, point) ? 7 : 5}"
          ><title>
            ${`${point.phase === "base" ? "base" : `after ${point.phase} ${String(point.cycle)}`}${isChosen(run, point) ? ", chosen" : ""}`}
          </title></circle
        >`,
    )}
  </g>`;
}

/** Under the figure of its cell. */
function lower([x, y]: Point): Point {
  return [x, y + 10];
}

function isChosen({ chosen }: RunRecord, point: { readonly rollouts: number; readonly phase: string }): boolean {
  return chosen?.rollouts === point.rollouts && chosen.phase === point.phase;
}

/**
 * Shows a run while it goes on: in a terminal a few live lines under a short history, elsewhere one plain line for each
 * event worth it. Nothing is drawn by timers, since a model step blocks the event loop; each event is a chance to draw.
 */
import type { ExperimentConfig } from "../experiment/config.ts";
import type { ProgressEvent, ProgressSink } from "../experiment/events.ts";
import { formatEvent } from "./progress/lines.ts";
import { formatLive } from "./progress/live.ts";
import { advanceProgress, startProgress } from "./progress/state.ts";
import type { Terminal } from "./terminal.ts";

/** Milliseconds between two redraws for mere rollout counts. */
const REDRAW_INTERVAL = 80;

/** Events whose line stays above the live lines; the others are in them already. */
const LASTING: ReadonlySet<ProgressEvent["kind"]> = new Set(["run-start", "resumed", "phase-end", "evaluation"]);

/** A display; `close` takes the live lines away and leaves the history. */
export type Progress = { readonly sink: ProgressSink; readonly close: () => void };

/** Opens a display of a run with `config` on `terminal`. */
export function openProgress(terminal: Terminal, config: ExperimentConfig): Progress {
  return terminal.isInteractive ? openLive(terminal, config) : openPlain(terminal, config);
}

function openPlain(terminal: Terminal, config: ExperimentConfig): Progress {
  let state = startProgress(config, terminal.clock());
  return {
    sink: (event) => {
      state = advanceProgress(state, event, terminal.clock());
      const line = formatEvent(event, state);
      if (line !== undefined) terminal.err(`${line}\n`);
    },
    close: () => undefined,
  };
}

function openLive(terminal: Terminal, config: ExperimentConfig): Progress {
  let state = startProgress(config, terminal.clock());
  let drawn = 0;
  let drawnAt = -Infinity;
  // Up over the lines drawn before, then clear to the end of the screen.
  const erase = (): string => (drawn > 0 ? `\u001b[${String(drawn)}A\r\u001b[0J` : "");
  const draw = (history: string): void => {
    const lines = formatLive(state, terminal.clock(), { columns: terminal.columns(), isColoured: terminal.isColoured });
    terminal.err(erase() + history + lines.map((line) => `${line}\n`).join(""));
    drawn = lines.length;
    drawnAt = terminal.clock();
  };
  return {
    sink: (event) => {
      const now = terminal.clock();
      state = advanceProgress(state, event, now);
      if (event.kind === "rollouts" && now - drawnAt < REDRAW_INTERVAL) return;
      const line = LASTING.has(event.kind) ? formatEvent(event, state) : undefined;
      draw(line === undefined ? "" : `${line}\n`);
    },
    close: () => {
      terminal.err(erase());
      drawn = 0;
    },
  };
}

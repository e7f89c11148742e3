/**
 * What a command may use of the process: two streams, a clock, and whether a person watches.
 *
 * Results go to `out`, everything else to `err`, so that `--json` leaves exactly one document on stdout.
 */
import { writeSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { canonicalJson, type JsonValue } from "../base/json.ts";

/** The streams and the clock that a command gets. */
export type Terminal = {
  /** Writes to stdout as it is. */
  readonly out: (text: string) => void;
  /** Writes to stderr as it is. */
  readonly err: (text: string) => void;
  /** Whether stderr is a terminal whose lines may be redrawn. */
  readonly isInteractive: boolean;
  /** Whether colours are wanted on stderr. */
  readonly isColoured: boolean;
  /** Whether colours are wanted on stdout. */
  readonly isOutColoured: boolean;
  /** Width of stderr, in characters. */
  readonly columns: () => number;
  readonly clock: Clock;
};

/** A command: does its work and resolves to the exit status. */
export type Command<A> = (args: A, terminal: Terminal) => Promise<number>;

/** The terminal of this process; the NO_COLOR and TERM=dumb conventions hold. */
export function openProcessTerminal(): Terminal {
  const wantsColour = (process.env["NO_COLOR"] ?? "") === "";
  const isInteractive = process.stderr.isTTY && process.env["TERM"] !== "dumb";
  return {
    out: (text) => {
      writeAll(1, text);
    },
    err: (text) => {
      writeAll(2, text);
    },
    isInteractive,
    isColoured: isInteractive && wantsColour,
    isOutColoured: process.stdout.isTTY && process.env["TERM"] !== "dumb" && wantsColour,
    columns: () => process.stderr.columns || 80,
    clock: () => performance.now(),
  };
}

/** Prints `value` as the one JSON document of a command. */
export function printJson(terminal: Terminal, value: JsonValue): void {
  terminal.out(`${canonicalJson(value)}\n`);
}

/** Prints `text` as a line of stderr. */
export function printNote(terminal: Terminal, text: string): void {
  terminal.err(`${text}\n`);
}

/** Synchronous, so that nothing is lost when the process ends right after; a full pipe is tried again. */
function writeAll(descriptor: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
    }
  }
}

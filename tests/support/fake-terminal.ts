/** A terminal that remembers what was written to it. */
import type { Terminal } from "../../src/cli/terminal.ts";

/** What a test may ask of it. */
export type FakeTerminal = Terminal & {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Number of writes to stderr. */
  readonly writes: () => number;
};

/** A terminal 100 columns wide that is no TTY and whose clock stands still, unless `overrides` says otherwise. */
export function fakeTerminal(overrides: Partial<Terminal> = {}): FakeTerminal {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out: (text) => {
      out.push(text);
    },
    err: (text) => {
      err.push(text);
    },
    isInteractive: false,
    isColoured: false,
    isOutColoured: false,
    columns: () => 100,
    clock: () => 0,
    ...overrides,
    stdout: () => out.join(""),
    stderr: () => err.join(""),
    writes: () => err.length,
  };
}

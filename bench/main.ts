/**
 * `npm run bench [NAME ...]`: figures as JSON lines, each with the limit it is held against where there is one.
 *
 * Ratios are taken between two things timed in the same process, one after the other in turn, so that a busy machine
 * disturbs both alike. Nothing here is a test.
 */
import { benchDecoding } from "./decoding.ts";
import { benchIsolates } from "./isolates.ts";
import { benchSearching } from "./searching.ts";
import { benchTraining } from "./training.ts";

/** One figure. */
export type Figure = {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** What it should reach, such as `>= 0.7`. */
  readonly limit?: string;
};

const BENCHES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  training: benchTraining,
  decoding: benchDecoding,
  isolates: benchIsolates,
  searching: benchSearching,
};

const wanted = process.argv.slice(2);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const figure of await bench())
    console.log(JSON.stringify({ ...figure, value: Number(figure.value.toPrecision(4)) }));
}

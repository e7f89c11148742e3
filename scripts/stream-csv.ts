/**
 * Streams a Lichess-format CSV of any number of rows through the loader of chess-puzzles and prints the time and the
 * largest resident memory: `npx tsx scripts/stream-csv.ts [ROWS] [FILE]`. The rows of FILE are repeated with fresh ids, never
 * held together; without FILE one built-in row is used.
 */
import { readFileSync } from "node:fs";
import { chessPuzzles } from "../domains/chess-puzzles/domain.ts";
import type { DataFile } from "../src/rollout/domain.ts";

const HEADER = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";
const ROW = 'id,7k/5ppp/8/8/8/8/8/R6K b - - 3 20,h8g8 a1a8,1493,76,94,18768,"mate mateIn1",https://lichess.org/x,';
const BLOCK = 1000;

const [rows = "1000000", file] = process.argv.slice(2);
const total = Number(rows);
const source = file === undefined ? [ROW] : readFileSync(file, "utf8").trim().split("\n").slice(1);

async function* chunks(): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`${HEADER}\n`);
  for (let start = 0; start < total; start += BLOCK) {
    const count = Math.min(BLOCK, total - start);
    const lines = Array.from({ length: count }, (_, offset) => {
      const row = source[(start + offset) % source.length] ?? "";
      return `r${String(start + offset)}${row.slice(row.indexOf(","))}\n`;
    });
    yield await Promise.resolve(encoder.encode(lines.join("")));
  }
}

const data: DataFile = { name: "stream.csv", chunks };
const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);
const start = performance.now();
let [read, usable, most, early] = [0, 0, 0, 0];
for await (const row of chessPuzzles.read(data)) {
  read += 1;
  if (row.task) usable += 1;
  if (read % 1000 === 0) most = Math.max(most, megabytes());
  if (read === Math.floor(total / 10)) early = most;
}
const seconds = (performance.now() - start) / 1000;
process.stdout.write(
  `${JSON.stringify({ rows: read, usable, seconds: Number(seconds.toFixed(1)), mostMegabytes: most, mostAfterATenth: early })}\n`,
);

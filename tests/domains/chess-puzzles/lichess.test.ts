/** Lichess files: columns by name, quotes, compression, and rows that cannot be used. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { splitRecord } from "../../../domains/chess-puzzles/csv.ts";
import { chessPuzzles } from "../../../domains/chess-puzzles/domain.ts";
import { readLichess } from "../../../domains/chess-puzzles/lichess.ts";
import { memoryFile } from "../../../src/rollout/data-file.ts";
import type { DataFile, TaskRow } from "../../../src/rollout/domain.ts";

const HEADER = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";
/** Black shuffles, then Ra8 mates. */
const FEN = "7k/5ppp/8/8/8/8/8/R6K b - - 3 20";
const ROW = `abc01,${FEN},h8g8 a1a8,1493,76,94,18768,mate,https://lichess.org/x,`;

const file = (text: string): DataFile => memoryFile("p.csv", new TextEncoder().encode(text));

async function read(data: DataFile): Promise<TaskRow[]> {
  const rows: TaskRow[] = [];
  for await (const row of readLichess(data)) rows.push(row);
  return rows;
}

test("readLichess plays the opponent's first move and takes the rest as the line", async () => {
  const [row] = await read(file(`${HEADER}\n${ROW}\n`));
  expect(row?.number).toBe(2);
  expect(row?.task).toMatchObject({
    view: { fen: "6k1/5ppp/8/8/8/8/8/R6K w - - 4 21", side: "White", opponent: "h8g8", played: [], index: 1 },
    gold: { line: ["a1a8"] },
    source: "p.csv:2",
  });
});

test("readLichess finds columns by name among others, quoted or not, in any order and case", async () => {
  const text = `Themes,moves,Extra,"fen"\r\n"a, ""b""","h8g8 a1a8",,"${FEN}"\r\n`;
  expect((await read(file(text)))[0]?.task?.gold).toEqual({ line: ["a1a8"] });
});

test.each([
  ["gzip", (bytes: Uint8Array) => gzipSync(bytes)],
  ["Zstandard", zstdOf],
])("readLichess reads %s", async (_, compress) => {
  const data = memoryFile("p.csv.x", compress(new TextEncoder().encode(`${HEADER}\n${ROW}\n`)));
  expect(await read(data)).toHaveLength(1);
});

/** One Zstandard frame of a single raw block, by RFC 8878; up to 255 bytes and more by a four-byte size. */
function zstdOf(bytes: Uint8Array): Uint8Array {
  const size = new DataView(new ArrayBuffer(4));
  size.setUint32(0, bytes.length, true);
  const block = new DataView(new ArrayBuffer(4));
  block.setUint32(0, (bytes.length << 3) | 1, true);
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, ...new Uint8Array(size.buffer)];
  return new Uint8Array([...header, ...new Uint8Array(block.buffer).subarray(0, 3), ...bytes]);
}

test.each([
  ["an illegal FEN", "x,7k/5ppp/8/8/8/8/8/R6 b - - 3 20,h8g8 a1a8", /^illegal FEN/],
  ["a king that could be taken", "x,R6k/8/8/8/8/8/8/7K w - - 0 1,a8a7 h8g8", /^illegal FEN/],
  ["an illegal trigger", `x,${FEN},h8h6 a1a8`, /^illegal line/],
  ["an illegal answer", `x,${FEN},h8g8 a1b8`, /^illegal line/],
  ["a move that is no UCI", `x,${FEN},h8g8 Ra8#`, /^illegal line/],
  ["no answer", `x,${FEN},h8g8`, /^the line must be/],
  ["no moves", `x,${FEN},`, /^no FEN or no moves/],
  ["too few columns", "x", /^no FEN or no moves/],
  ["an open quote", `x,"${FEN},h8g8 a1a8`, /^a quote is never closed/],
])("readLichess skips a row with %s and says so", async (_, row, reason) => {
  const rows = await read(file(`PuzzleId,FEN,Moves\n${row}`));
  expect(rows).toMatchObject([{ number: 2, skip: expect.stringMatching(reason) as string }]);
});

test("readLichess loses no row but the one with the stray quote", async () => {
  const rows = Array.from({ length: 6 }, (_, i) => `p${String(i)},${FEN},h8g8 a1a8`);
  const numbers = async (...stray: number[]): Promise<(number | string)[]> => {
    const lines = rows.map((row, i) => (stray.includes(i) ? `"${row}` : row));
    const found = await read(file(["PuzzleId,FEN,Moves", ...lines].join("\n")));
    return found.map(({ number, skip }) => (skip === undefined ? number : `${String(number)}: ${skip}`));
  };
  const lost = (number: number): string => `${String(number)}: a quote is never closed: mend or remove the row`;
  expect(await numbers(2)).toEqual([2, 3, lost(4), 5, 6, 7]);
  // Two stray quotes look like one long field, but the fields of the record do not add up.
  expect(await numbers(1, 4)).toEqual([2, lost(3), 4, 5, lost(6), 7]);
});

test("readLichess reads a quoted field over several lines", async () => {
  const rows = await read(
    file(`PuzzleId,Themes,FEN,Moves\np1,"one\ntwo, ""three""\n\n",${FEN},h8g8 a1a8\np2,x,${FEN},h8g8 a1a8`),
  );
  expect(rows.map(({ number, skip }) => [number, skip])).toEqual([
    [2, undefined],
    [6, undefined],
  ]);
});

test("readLichess skips a line that is not UTF-8 and goes on", async () => {
  const bytes = new Uint8Array([
    ...new TextEncoder().encode(`${HEADER}\n`),
    0xff,
    0x0a,
    ...new TextEncoder().encode(ROW),
  ]);
  const rows = await read(memoryFile("p.csv", bytes));
  expect(rows.map(({ number, skip }) => [number, skip])).toEqual([
    [2, "not UTF-8 text: save the file as UTF-8"],
    [3, undefined],
  ]);
});

test.each([
  ["", /p\.csv: the file is empty/],
  [`${HEADER}\n`, /p\.csv: no puzzle below the header/],
  ["a,b\n1,2\n", /p\.csv: expected a header with the columns FEN and Moves, .*; found a, b/],
])("readLichess rejects %j with one clear line", async (text, message) => {
  await expect(read(file(text))).rejects.toThrow(message);
});

test("readLichess rejects a file that is cut short", async () => {
  const whole = gzipSync(new TextEncoder().encode(`${HEADER}\n${`${ROW}\n`.repeat(50)}`));
  await expect(read(memoryFile("p.csv.gz", whole.subarray(0, -12)))).rejects.toThrow(/p\.csv\.gz: damaged gzip/);
});

test("load keeps one task for each position, whatever clocks and rights say", async () => {
  const other = ROW.replace("b - - 3 20", "b - - 7 44");
  const more = ROW.replace("R6K", "1R5K").replace("a1a8", "b1b8");
  const sizes = { weight: 0, harness: 0, validation: 0, test: 9 };
  const loaded = await chessPuzzles.load({ seed: 1, sizes, data: file([HEADER, ROW, other, more].join("\n")) });
  expect(loaded.tasks.test).toHaveLength(2);
  expect(loaded.skipped).toEqual([{ reason: "repeats an earlier row", count: 1, first: "row 3" }]);
});

test("splitRecord reads RFC 4180", () => {
  expect(splitRecord('a,"b,""c""",,"d\ne",')).toEqual(["a", 'b,"c"', "", "d\ne", ""]);
  expect(splitRecord("a,,b")).toEqual(["a", "", "b"]);
  expect(splitRecord('"",x')).toEqual(["", "x"]);
  expect(splitRecord(',"x"')).toEqual(["", "x"]);
});

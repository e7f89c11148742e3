/** Every real puzzle: the gold line wins, a corrupted one loses. */
import { describe, expect, test } from "vitest";
import { chessPuzzles } from "../../../domains/chess-puzzles/domain.ts";
import { playAnswer } from "../../../domains/chess-puzzles/episode.ts";
import { openDataFile } from "../../../src/cli/files.ts";
import { hasSharedData, sharedData } from "../../support/shared-data.ts";

describe.each([
  ["lichess_db_puzzle_sample_kagi_1000.csv", 1000],
  ["lichess_db_puzzle_sample_ladder_1992.csv", 1992],
])("%s", (name, count) => {
  const path = `chess/${name}`;
  test.skipIf(!hasSharedData(path))("loads whole; gold is accepted and corrupted refused in every row", async () => {
    const bad: string[] = [];
    let rows = 0;
    for await (const row of chessPuzzles.read(await openDataFile(sharedData(path)))) {
      rows += 1;
      if (!row.task) bad.push(`${String(row.number)}: ${row.skip}`);
      else {
        const gold = await playAnswer(row.task, "gold");
        const corrupted = await playAnswer(row.task, "corrupted");
        if (gold.reward !== 1 || corrupted.reward !== 0) bad.push(`${String(row.number)}: misjudged`);
      }
    }
    expect(bad).toEqual([]);
    expect(rows).toBe(count);
  });
});

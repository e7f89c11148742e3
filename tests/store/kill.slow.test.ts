import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { createFsBlobStore } from "../../src/platform/node/fs-blob-store.ts";

const TOY_RUN = fileURLToPath(new URL("../support/toy-run-process.ts", import.meta.url));
const KILLS = 12;
const STEPS = "60";

/** Runs the toy process, killed after `afterMs` of its work; whether it ended by itself. */
async function runProcess(root: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, ["--import", "tsx", TOY_RUN, root, STEPS], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  return new Promise((resolve, reject) => {
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (code === 0 || signal === "SIGKILL") resolve(code === 0);
      else reject(new RangeError(`toy run: expected exit status 0, got ${String(code)}`));
    });
  });
}

test("the ledger ends byte-identical when the process is killed at random moments and resumed", async () => {
  const parent = await mkdtemp(join(tmpdir(), "spyhop-kill-"));
  try {
    const start = performance.now();
    expect(await runProcess(join(parent, "whole"), 120_000)).toBe(true);
    const wholeMs = performance.now() - start;
    const whole = createFsBlobStore(join(parent, "whole"));
    const rng = createRng(1, "kill");
    let kills = 0;
    for (let trial = 0; kills < KILLS; trial += 1) {
      const root = join(parent, String(trial));
      // Killed until it is done: later lives only have what is left to do, so late kills come seldom by themselves.
      while (!(await runProcess(root, wholeMs * (0.2 + rng.uniform())))) kills += 1;
      const killed = createFsBlobStore(root);
      for (const file of ["config.json", "events.jsonl", "mark.json", "summary.json"])
        expect(await killed.read(file)).toEqual(await whole.read(file));
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});

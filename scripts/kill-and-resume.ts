/**
 * Kills a smoke run with SIGKILL at random moments, resumes it each time, and compares the ledger with that of a run
 * that nobody disturbed.
 *
 *   npx tsx scripts/kill-and-resume.ts [--kills 30] [--seed 1] [--condition whale] [--set KEY=VALUE ...]
 *
 * Lives are drawn as shares of the time that the undisturbed run took, so that a slow machine is killed at the same places.
 * Exit status 0 when `events.jsonl` and `summary.json` are byte-identical.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRng } from "../src/base/rng.ts";

const { values: args } = parseArgs({
  options: {
    kills: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    condition: { type: "string", default: "whale" },
    set: { type: "string", multiple: true, default: [] },
  },
});
const SPYHOP = ["--import", "tsx", "src/cli/main.ts"];
const COMPARED = ["events.jsonl", "summary.json"] as const;
/** How long a process lives before it is killed, as a share of the undisturbed run. */
const [SHORTEST, LONGEST] = [0.03, 0.45];

/** Runs one command; with `life` it is killed after that many seconds. Resolves with whether it ended by itself. */
function play(command: readonly string[], life?: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...SPYHOP, ...command], { stdio: ["ignore", "ignore", "inherit"] });
    const timer = life === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), life * 1000);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") resolve(false);
      else if (code === 0) resolve(true);
      else reject(new TypeError(`spyhop ${command.join(" ")}: exit status ${String(code)}`));
    });
  });
}

const start = (folder: string): string[] => [
  ...["run", "--preset", "smoke", "--condition", args.condition, "--seed", args.seed, "--out", folder],
  ...args.set.flatMap((setting) => ["--set", setting]),
];

/** Starts or resumes the run in `folder`, whichever it needs. */
function command(folder: string): string[] {
  // Killed before its settings were written, a folder holds no run to resume: it is started anew.
  return existsSync(join(folder, "config.json")) ? ["resume", folder] : start(folder);
}

const scratch = mkdtempSync(join(tmpdir(), "spyhop-kill-"));
try {
  const [calm, killed] = [join(scratch, "calm"), join(scratch, "killed")];
  const began = performance.now();
  await play(start(calm));
  const whole = (performance.now() - began) / 1000;
  const rng = createRng("kill-and-resume", Number(args.seed));
  let kills = 0;
  let runs = 1;
  while (kills < Number(args.kills)) {
    const isDone = await play(command(killed), whole * (SHORTEST + (LONGEST - SHORTEST) * rng.uniform()));
    if (!isDone) kills += 1;
    else if (kills < Number(args.kills)) {
      compare(calm, killed);
      rmSync(killed, { recursive: true, force: true });
      runs += 1;
    }
  }
  await play(command(killed));
  compare(calm, killed);
  console.log(`${String(kills)} kills over ${String(runs)} runs: every ledger equals that of the undisturbed run`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function compare(calm: string, killed: string): void {
  for (const file of COMPARED)
    if (!readFileSync(join(calm, file)).equals(readFileSync(join(killed, file))))
      throw new TypeError(`${file} differs from that of the undisturbed run`);
}

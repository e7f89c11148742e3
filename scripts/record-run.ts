/**
 * Makes the recorded run that the page shows first: builds the page, lets its own worker run one experiment in Chromium,
 * and keeps the ledger, some rollouts with their tokens, and every harness.
 *
 *     npx tsx scripts/record-run.ts [preset] [seed]
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { strFromU8, unzipSync } from "fflate";
import { buildPage } from "../tests/support/built-page.ts";
import { launchChromium, openLabPage, type LabPage } from "../tests/support/lab-page.ts";
import { servePage } from "../tests/support/page-server.ts";
import type { RolloutGroup, RolloutRow } from "../web/protocol/rollouts.ts";

const TARGET = fileURLToPath(new URL("../web/page/recorded-run.json", import.meta.url));

/** Rollouts kept of a group: the first of as many tasks. */
const KEPT = { evaluation: 8, weights: 8, harness: 3, "by-hand": 0 } as const;

async function main(): Promise<void> {
  const [preset = "tab", seed = "0"] = process.argv.slice(2);
  await using built = await buildPage("test");
  await using server = await servePage(built.folder, { isolated: true });
  const browser = await launchChromium();
  const lab = await openLabPage(await browser.newContext(), server.url);
  await lab.call("boot", { device: "wasm-threads" });
  const choice = { domain: "math-reasoning", condition: "whale", preset, seed: Number(seed), overrides: {} };
  const { run } = await lab.call("startRun", { choice });
  const end = await lab.waitFor((event) => {
    if (event.kind === "now") process.stderr.write(`${String(Math.round(100 * event.share))} %\n`);
    return event.kind === "done" || event.kind === "problem";
  });
  if (end.kind === "problem") throw new TypeError(end.problem.what);
  const recording = await record(lab, run);
  await writeFile(TARGET, `${JSON.stringify(recording)}\n`);
  await browser.close();
}

async function record(lab: LabPage, run: string): Promise<object> {
  const groups = await lab.call("listGroups", { run });
  const kept: { group: RolloutGroup; rows: RolloutRow[] }[] = [];
  const rollouts: unknown[] = [];
  for (const group of groups) {
    if (group.use === "evaluation" && group.split !== "test") continue;
    const all = await lab.call("listRollouts", { run, group: group.group });
    const rows = all.filter(({ sample }) => sample === 0).slice(0, KEPT[group.use]);
    if (rows.length === 0) continue;
    kept.push({ group, rows });
    for (const { ref } of rows) rollouts.push(round(await lab.call("readRollout", { run, ref })));
  }
  const { candidates } = await lab.call("readRun", { run });
  const harnesses = [];
  for (const harness of ["h0", ...candidates.map(({ name }) => name)])
    harnesses.push(await lab.call("readHarness", { run, harness }));
  const about = "This recorded run was made in a browser by the same code that runs here.";
  return { version: 1, about, events: await readEvents(lab, run), groups: kept, rollouts, harnesses };
}

/** The ledger as it stands in the run folder. */
async function readEvents(lab: LabPage, run: string): Promise<unknown[]> {
  const answer: { value: { bytes: Record<string, number> } } = await lab.page.evaluate(
    `call("exportRun", ${JSON.stringify({ run })}).then(({ value }) => ({ value: { bytes: [...value.bytes] } }))`,
  );
  const files = unzipSync(Uint8Array.from(Object.values(answer.value.bytes)));
  const ledger = Object.entries(files).find(([path]) => path.endsWith("events.jsonl"));
  if (ledger === undefined) throw new TypeError("the export has no events.jsonl");
  return strFromU8(ledger[1])
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

/** Probabilities to four digits: the page shows three. */
function round(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, field: unknown) =>
    key === "probability" && typeof field === "number" ? Number(field.toFixed(4)) : field,
  ) as unknown;
}

await main();

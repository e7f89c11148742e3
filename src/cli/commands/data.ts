/** `data check FILE`: whether every row of a real file can be read, played and judged, and how it would be divided. */
import { checkData, type DataCheck } from "../../evaluation/data-check.ts";
import { resolveConfig } from "../../experiment/presets.ts";
import { SPLITS } from "../../rollout/domain.ts";
import { createSandbox } from "../../sandbox/quickjs-sandbox.ts";
import { requireValue, type Arguments } from "../args.ts";
import { openDataFile } from "../files.ts";
import { grouped, plural } from "../progress/figures.ts";
import { findDomain } from "../registry.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";

/** Checks the file that the arguments name; the status is 1 where an answer is judged wrongly. */
export async function checkDataFile(args: Arguments, terminal: Terminal): Promise<number> {
  const file = requireValue(args.positionals[0], "FILE");
  const domain = findDomain(requireValue(args.text("domain"), "--domain"));
  const seed = requireValue(args.integer("seed"), "--seed");
  const preset = requireValue(args.text("preset"), "--preset");
  const { tasks } = resolveConfig(preset, { domain: domain.name, condition: "whale", model: "tiny", seed });
  const corpus = args.text("corpus");
  using sandbox = await createSandbox();
  const result = await checkData(domain, {
    seed,
    sizes: { weight: tasks.weight, harness: tasks.harness, validation: tasks.validation, test: tasks.test },
    data: await openDataFile(file),
    ...(corpus !== undefined && { corpus: await openDataFile(corpus) }),
    sandbox,
    onProgress: (rows) => {
      if (terminal.isInteractive) terminal.err(`\r${grouped(rows)} rows checked\x1b[K`);
    },
  });
  if (terminal.isInteractive && result.rows >= 10_000) printNote(terminal, "");
  if (args.flag("json")) printJson(terminal, { schema: 1, file, domain: domain.name, seed, preset, ...result });
  else terminal.out(formatCheck(file, domain.name, result));
  return result.goldRefused.count + result.corruptedAccepted.count === 0 && result.disjoint ? 0 : 1;
}

function formatCheck(file: string, domain: string, check: DataCheck): string {
  const { rows, loaded, skipped, goldAccepted, corruptedRefused, splits } = check;
  const lines = [`${file}, ${domain}: ${plural(rows, "row")}, ${grouped(loaded)} loaded`];
  for (const { reason, count, first } of skipped)
    lines.push(`  left out ${grouped(count).padStart(9)}  ${reason} (first: ${first})`);
  const { count: repeated, first: firstRepeated } = check.repeatedNames;
  if (repeated > 0)
    lines.push(
      `  kept     ${grouped(repeated).padStart(9)}  the id of an earlier row with other content: give each row its own (first: ${firstRepeated})`,
    );
  const judged = (count: number, what: string, wrong: { readonly first: string; readonly count: number }): string =>
    `  ${grouped(count)} of ${grouped(loaded)} ${what}${wrong.count > 0 ? ` (first not: ${wrong.first})` : ""}`;
  lines.push(judged(goldAccepted, "gold answers accepted by the verifier", check.goldRefused));
  lines.push(judged(corruptedRefused, "corrupted answers refused by it", check.corruptedAccepted));
  for (const split of SPLITS) {
    const { wanted, size, hash } = splits[split];
    const short = size < wanted ? `, ${grouped(wanted)} wanted: the file holds fewer` : "";
    lines.push(`  ${split.padEnd(10)} ${grouped(size).padStart(7)}  ${hash.slice(0, 16)}${short}`);
  }
  lines.push(check.disjoint ? "  no task stands in two splits" : "  SPLITS OVERLAP: a task stands in two of them");
  if (!check.allRepeatsSeen) lines.push("  repeats were looked for among the first two million tasks only");
  return `${lines.join("\n")}\n`;
}

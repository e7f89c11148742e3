/** `export trl` and `export adapter`: what a run learnt from and what it learnt, for trainers and servers elsewhere. */
import { StoreError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ExperimentConfig } from "../../experiment/config.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { toConversations } from "../../report/conversations.ts";
import { readRunRecord } from "../../report/read-run.ts";
import { listTraces, readTraces } from "../../report/read-traces.ts";
import { checkpointFolder } from "../../store/run-store.ts";
import { readRun, type RunView } from "../../store/run-view.ts";
import { requireValue, type Arguments } from "../args.ts";
import { openTextFile } from "../files.ts";
import { plural } from "../progress/figures.ts";
import { openRunView } from "../saved-run.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";
import { UsageError } from "../usage.ts";

/** Files of a PEFT adapter. */
const ADAPTER_FILES = ["adapter_config.json", "adapter_model.safetensors"] as const;

/** Writes the accepted rollouts of all weight phases as TRL conversations, to a file or to stdout. */
export async function exportTrl(args: Arguments, terminal: Terminal): Promise<number> {
  const view = await openRunView(requireValue(args.positionals[0], "DIR"));
  const { threshold } = (view.config as unknown as ExperimentConfig).rsft;
  const out = args.text("out");
  if (args.flag("json") && out === undefined)
    throw new UsageError("export trl: --json needs --out FILE, since the conversations go to stdout without it");
  const file = out === undefined ? undefined : await openTextFile(out);
  const counts = { rollouts: 0, rows: 0, withUnsampled: 0 };
  for (const { path, header } of await listTraces(view)) {
    if (header.use !== "weights") continue;
    const { traces } = await readTraces(view, path);
    for (const trace of traces.filter(({ reward }) => reward > threshold)) {
      counts.rollouts += 1;
      for (const { messages, unsampled } of toConversations(trace)) {
        counts.rows += 1;
        counts.withUnsampled += unsampled > 0 ? 1 : 0;
        const line = `${JSON.stringify({ messages })}\n`;
        if (file === undefined) terminal.out(line);
        else await file.write(line);
      }
    }
  }
  await file?.close();
  if (args.flag("json") && out !== undefined) printJson(terminal, { schema: 1, out, ...counts });
  printNote(terminal, `${plural(counts.rows, "conversation")} of ${plural(counts.rollouts, "accepted rollout")}`);
  if (counts.withUnsampled > 0)
    printNote(
      terminal,
      `${plural(counts.withUnsampled, "conversation")} hold assistant messages that were not sampled, such as worked examples: mask them`,
    );
  return 0;
}

/** Copies the adapter of a step, by default that of the chosen point, into a PEFT folder. */
export async function exportAdapter(args: Arguments, terminal: Terminal): Promise<number> {
  const folder = requireValue(args.positionals[0], "DIR");
  const out = requireValue(args.text("out"), "--out");
  const store = createFsBlobStore(folder);
  const view = await readRun(store, folder);
  const record = await readRunRecord(store, folder);
  const asked = args.integer("step");
  const step = await findCheckpoint(view, asked ?? record.chosen?.step ?? record.curve.at(-1)?.step ?? 0);
  const target = createFsBlobStore(out);
  const [occupied] = (await target.list("")).filter((name) => !ADAPTER_FILES.some((file) => file === name));
  if (occupied !== undefined)
    throw new StoreError(`${out}: expected an empty folder, it holds ${occupied}; give another --out`);
  for (const name of ADAPTER_FILES) {
    const bytes = await view.readBlob(`${checkpointFolder(step)}/${name}`);
    if (bytes === undefined) throw new StoreError(`${folder}/${checkpointFolder(step)}: ${name} is missing`);
    await target.write(name, bytes);
  }
  const isChosen = asked === undefined && record.chosen !== undefined;
  const about: JsonObject = { out, run: folder, step, ...(isChosen && { harness: record.chosen.harness }) };
  if (args.flag("json")) printJson(terminal, { schema: 1, ...about });
  else {
    const harness = isChosen ? ` --harness ${folder}/harnesses/${record.chosen.harness}.js` : "";
    terminal.out(`${out}: the adapter of step ${String(step)}\n`);
    printNote(
      terminal,
      `score it with: npm run -s spyhop -- eval --domain ${record.domain} --adapter ${out}${harness}`,
    );
  }
  return 0;
}

/** The last checkpoint of `step` or before it: a step that accepted nothing left the weights as they were. */
async function findCheckpoint(view: RunView, step: number): Promise<number> {
  const paths = await view.listBlobs("checkpoints");
  const steps = paths.flatMap((path) => {
    const found = /^checkpoints\/step-(\d+)\/adapter_model\.safetensors$/.exec(path);
    return found === null ? [] : [Number(found[1])];
  });
  const done = view.events.reduce((most, { step }) => (typeof step === "number" ? Math.max(most, step) : most), 0);
  const last = Math.max(-1, ...steps.filter((known) => known <= step));
  if (last < 0 || step > done)
    throw new StoreError(
      `${view.name}: no checkpoint of step ${String(step)}; there are ${steps.map(String).join(", ") || "none"}`,
    );
  return last;
}

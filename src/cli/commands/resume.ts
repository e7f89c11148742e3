/** `resume DIR`: goes on with a run from its last mark. */
import { parseConfig } from "../../experiment/config.ts";
import { PRESET_TABLE } from "../../experiment/presets.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { withRunLock } from "../../platform/node/run-lock.ts";
import { openRun } from "../../store/run-store.ts";
import { requireValue, type Arguments } from "../args.ts";
import { checkConnection, openConnection } from "../connection.ts";
import { execute, loadTasks, NO_TASKS, requestOf } from "../execute.ts";
import { readRunFolder } from "../saved-run.ts";
import { parseDevice } from "../model-files.ts";
import { findDomain } from "../registry.ts";
import { printNote, type Terminal } from "../terminal.ts";
import { openWorkbench } from "../workbench.ts";

/** Goes on with the run in the given folder; one that is done is only reported. */
export async function resume(args: Arguments, terminal: Terminal): Promise<number> {
  const folder = requireValue(args.positionals[0], "DIR");
  const { device: earlier } = await readRunFolder(folder);
  await withRunLock(folder, () => goOn(args, terminal, { folder, earlier }));
  return 0;
}

/** The run, and the device that it began on; empty where it had not begun. */
type Earlier = { readonly folder: string; readonly earlier: string };

async function goOn(args: Arguments, terminal: Terminal, { folder, earlier }: Earlier): Promise<void> {
  const store = await openRun(createFsBlobStore(folder), folder);
  const config = parseConfig(store.config, PRESET_TABLE.toy);
  const domain = findDomain(config.domain);
  // A run that is done asks nobody any more, and plays nothing.
  const isDone = store.summary() !== undefined;
  const connection = isDone ? undefined : openConnection(config);
  await checkConnection(connection);
  // Equal bytes need the same device, so the one that the run began on is kept.
  const device = args.text("device") ?? (earlier === "" ? "auto" : earlier);
  const loaded = await loadTasks(domain, { ...requestOf(config), ...(isDone && { needed: NO_TASKS }) }, terminal);
  await using workbench = await openWorkbench(config, {
    device: parseDevice(device),
    threads: args.integer("threads"),
  });
  printNote(terminal, `run folder ${folder}`);
  await execute({ config, loaded, workbench, store, connection, isJson: args.flag("json") }, terminal);
}

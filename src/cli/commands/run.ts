/** `run`: one experiment into a folder of its own. */
import { resolveConfig } from "../../experiment/presets.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { withRunLock } from "../../platform/node/run-lock.ts";
import { createRun } from "../../store/run-store.ts";
import { parseAssignments, requireValue, type Arguments } from "../args.ts";
import type { OptionName } from "../command-table.ts";
import { checkConnection, openConnection } from "../connection.ts";
import { execute, loadTasks, requestOf } from "../execute.ts";
import { parseDevice } from "../model-files.ts";
import { findDomain, findModelFolder } from "../registry.ts";
import { chooseRunFolder } from "../run-folder.ts";
import { printNote, type Terminal } from "../terminal.ts";
import { openWorkbench } from "../workbench.ts";

/** Runs the experiment that the options describe. */
export async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const text = (name: OptionName): string => requireValue(args.text(name), `--${name}`);
  const data = args.text("data");
  const corpus = args.text("corpus");
  const domain = findDomain(text("domain"));
  const choice = {
    domain: domain.name,
    condition: text("condition"),
    model: text("model"),
    seed: requireValue(args.integer("seed"), "--seed"),
  };
  const proposer = args.text("proposer");
  const overrides = Object.fromEntries(parseAssignments(args.list("set")));
  const config = resolveConfig(text("preset"), choice, {
    ...(data !== undefined && { "tasks.data": data }),
    ...(corpus !== undefined && { "tasks.corpus": corpus }),
    ...(proposer !== undefined && { "proposer.kind": proposer }),
    ...overrides,
  });
  findModelFolder(config.model);
  const connection = openConnection(config);
  await checkConnection(connection);

  // Whatever may fail fails before the folder is made.
  const folder = await chooseRunFolder(config, args.text("out"));
  const loaded = await loadTasks(domain, requestOf(config), terminal);
  const device = parseDevice(args.text("device"));
  await using workbench = await openWorkbench(config, { device, threads: args.integer("threads") });
  await withRunLock(folder, async () => {
    const store = await createRun(createFsBlobStore(folder), { name: folder, config });
    printNote(terminal, `run folder ${folder}`);
    await execute({ config, loaded, workbench, store, connection, isJson: args.flag("json") }, terminal);
  });
  return 0;
}

/** The runs of this browser: list, rename, delete with undo, export, import, read. */
import { readRun, type ExperimentConfig } from "../../src/index.ts";
import { lockRun } from "../../src/platform/browser/run-lock.ts";
import type { LabCommands } from "../protocol/messages.ts";
import type { HarnessSource, RunListing, RunRecord } from "../protocol/runs.ts";
import type { LabRunner } from "./lab-runner.ts";
import { busy } from "./problems.ts";
import type { RolloutSource } from "./rollouts.ts";
import { readHarnessSource, readRecord } from "./run-record.ts";
import { freeName, listShelf, openRunFolder, readListing, removeRun, writeAbout } from "./shelf.ts";
import { unzipRun, zipRun } from "./zip.ts";

/** The commands about stored runs. */
export class LabLibrary {
  readonly #runner: LabRunner;

  constructor(runner: LabRunner) {
    this.#runner = runner;
  }

  list(): Promise<RunListing[]> {
    return listShelf(this.#runner.active?.run);
  }

  async rename(run: string, title: string): Promise<RunListing> {
    await this.#listing(run);
    await writeAbout(run, { title: title.trim() });
    await this.#runner.tellRuns();
    return this.#listing(run);
  }

  async remove(run: string): Promise<null> {
    await this.#listing(run);
    // The lock is only looked at: a deleted run can still be restored.
    const release = await lockRun(run);
    if (!release) throw busy("This run is going on.", "Stop it first, here or in the other tab.");
    await release();
    await writeAbout(run, { isDeleted: true });
    await this.#runner.tellRuns();
    return null;
  }

  async restore(run: string): Promise<RunListing> {
    await this.#listing(run);
    await writeAbout(run, { isDeleted: false });
    await this.#runner.tellRuns();
    return this.#listing(run);
  }

  async export(run: string): Promise<LabCommands["exportRun"]["result"]> {
    await this.#listing(run);
    const zip = (): Promise<Uint8Array> => zipRun(openRunFolder(run), run);
    const { active } = this.#runner;
    // Between two pieces of work all files of the run belong together.
    const bytes = active?.run === run ? await active.gate.between(zip) : await zip();
    return { fileName: `${run}.zip`, bytes };
  }

  async import(fileName: string, bytes: Uint8Array): Promise<RunListing> {
    const { name, files } = await unzipRun(bytes);
    const run = await freeName(name || fileName.replace(/\.zip$/i, ""));
    const folder = openRunFolder(run);
    try {
      for (const [path, content] of files) await folder.write(path, content);
      await writeAbout(run, { title: "", createdAt: new Date().toISOString(), isDeleted: false });
    } catch (error) {
      // Half a run is worth nothing, and the space may be what is missing.
      await removeRun(run).catch(() => undefined);
      throw error;
    }
    await this.#runner.tellRuns();
    return this.#listing(run);
  }

  async read(run: string): Promise<RunRecord> {
    return readRecord(openRunFolder(run), await this.#listing(run));
  }

  async readHarness(run: string, harness: string): Promise<HarnessSource> {
    await this.#listing(run);
    return readHarnessSource(openRunFolder(run), run, harness);
  }

  /** Where the rollouts of `run` are read from. */
  async source(run: string): Promise<RolloutSource> {
    await this.#listing(run);
    const folder = openRunFolder(run);
    const { config } = await readRun(folder, run);
    return { run, folder, config: config as unknown as ExperimentConfig };
  }

  #listing(run: string): Promise<RunListing> {
    return readListing(run, this.#runner.active?.run);
  }
}

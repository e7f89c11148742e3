/**
 * One run of a sweep, in a process of its own: a run that dies of anything takes nothing along, and two processes of one
 * thread each use two cores better than one process of two (docs/log.md).
 */
import { spawn } from "node:child_process";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json.ts";
import { configLeaves, parseConfig } from "../../experiment/config.ts";
import { PRESET_TABLE } from "../../experiment/presets.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { readConfig, SUMMARY_FILE } from "../../store/run-files.ts";
import type { Cell } from "./cells.ts";
import { LOGS_FOLDER } from "./own-files.ts";

/** What a run needs: nothing, to be resumed, or to be started. */
export type CellNeed = "nothing" | "resume" | "run";

/** A run to play. */
export type CellPlay = {
  readonly cell: Cell;
  readonly folder: string;
  readonly need: Exclude<CellNeed, "nothing">;
};

/** Options of the processes. */
export type PlayOptions = {
  /** `--device` of each; undefined takes the default. */
  readonly device: string | undefined;
  /** Threads of each. */
  readonly threads: number;
  /** Interrupts them when it is aborted. */
  readonly signal: AbortSignal;
};

/**
 * What the run of `cell` in `folder` needs.
 * @throws {StoreError} If the folder holds something else, or a run with other settings.
 */
export async function needOf(cell: Cell, folder: string): Promise<CellNeed> {
  const store = createFsBlobStore(folder);
  if ((await store.list("")).length === 0) return "run";
  const saved = new Map(configLeaves(parseConfig(await readConfig(store, folder), PRESET_TABLE.toy)));
  const other = configLeaves(cell.config).find(([path, value]) => saved.get(path) !== value);
  if (other !== undefined) {
    const [path, value] = other;
    const found = JSON.stringify(saved.get(path) ?? null);
    throw new StoreError(
      `${folder}: holds a run with ${path} ${found} instead of ${JSON.stringify(value)}; give another --out`,
    );
  }
  return (await store.read(SUMMARY_FILE)) === undefined ? "resume" : "nothing";
}

/**
 * Plays one run; what it prints goes to `logs/NAME.log` beside the runs.
 * @throws {StoreError} If it fails, with the last line that it printed.
 */
export async function playCell(play: CellPlay, options: PlayOptions): Promise<void> {
  const log = join(dirname(play.folder), LOGS_FOLDER, `${play.cell.name}.log`);
  await mkdir(dirname(log), { recursive: true });
  const file = await open(log, "a");
  let status: string;
  try {
    status = await spawnCommand(cellCommand(play, options), { output: file.fd, signal: options.signal });
  } finally {
    await file.close();
  }
  if (status !== "0") throw new StoreError(`${await lastLine(log)} (ended with ${status}; ${log})`);
}

/** The command line of `play`, without the program's own name. */
export function cellCommand({ cell, folder, need }: CellPlay, { device, threads }: PlayOptions): string[] {
  const common = [...(device === undefined ? [] : ["--device", device]), "--threads", String(threads)];
  if (need === "resume") return ["resume", folder, ...common];
  const { domain, condition, model, preset, seed } = cell.config;
  const choice = { domain, condition, model, preset, seed, out: folder };
  const settings = Object.entries(cell.settings).flatMap(([key, value]) => ["--set", `${key}=${formatValue(value)}`]);
  return [
    "run",
    ...Object.entries(choice).flatMap(([key, value]) => [`--${key}`, String(value)]),
    ...settings,
    ...common,
  ];
}

function formatValue(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

type SpawnOptions = { readonly output: number; readonly signal: AbortSignal };

/** Runs a command line of this program; resolves with its exit status, or the signal that ended it. */
function spawnCommand(command: readonly string[], { output, signal }: SpawnOptions): Promise<string> {
  const program = fileURLToPath(new URL("../main.ts", import.meta.url));
  const words = ["--import", import.meta.resolve("tsx"), program, ...command];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ["ignore", output, output] });
    const interrupt = (): void => void child.kill("SIGINT");
    signal.addEventListener("abort", interrupt);
    child.on("error", reject);
    child.on("exit", (code, ended) => {
      signal.removeEventListener("abort", interrupt);
      resolve(String(code ?? ended));
    });
  });
}

async function lastLine(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return (lines.at(-1) ?? "").replace(/^spyhop: /, "") || "it printed nothing";
}

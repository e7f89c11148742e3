/** The runs of a sweep: every combination of what was asked for, each with its settings and the name of its folder. */
import { PAPER_SCHEDULES, scheduleOverrides, type Schedule } from "../../experiment/ablation.ts";
import { CONDITIONS } from "../../experiment/conditions.ts";
import type { ConfigOverrides, ExperimentConfig } from "../../experiment/config.ts";
import { resolveConfig } from "../../experiment/presets.ts";
import { unknownName, UsageError } from "../usage.ts";

/** One run. */
export type Cell = {
  /** Name of its folder, such as `math-reasoning-whale-s0`. */
  readonly name: string;
  /** Its condition, or its schedule, such as `whale-e0.6-i6`. */
  readonly variant: string;
  readonly config: ExperimentConfig;
  /** What `run` must be told beside domain, condition, model, preset and seed to get that config. */
  readonly settings: ConfigOverrides;
};

/** What a sweep is asked for. */
export type SweepRequest = {
  readonly domains: readonly string[];
  readonly conditions: readonly string[];
  readonly schedules: readonly Schedule[];
  readonly seeds: readonly number[];
  readonly model: string;
  readonly preset: string;
  readonly settings: ConfigOverrides;
};

/**
 * The cells of `request`, seed by seed, so that a sweep that is stopped early has compared everything on fewer seeds.
 * @throws {ConfigError} If the preset, a condition or a setting does not exist.
 */
export function planCells(request: SweepRequest): Cell[] {
  const { domains, conditions, schedules, seeds, model, preset, settings } = request;
  return seeds.flatMap((seed) =>
    domains.flatMap((domain) => {
      const resolve = (condition: string, more: ConfigOverrides): ExperimentConfig =>
        resolveConfig(preset, { domain, condition, model, seed }, more);
      const make = (variant: string, condition: string, own: ConfigOverrides): Cell => {
        const name = `${domain}-${variant}-s${String(seed)}`;
        return { name, variant, config: resolve(condition, own), settings: own };
      };
      const usual = resolve("whale", settings);
      return [
        ...conditions.map((condition) => make(condition, condition, settings)),
        ...schedules.map((schedule) => {
          const variant = `whale-e${String(schedule.epochs)}-i${String(schedule.iterations)}`;
          return make(variant, "whale", { ...settings, ...scheduleOverrides(usual, schedule) });
        }),
      ];
    }),
  );
}

/**
 * Conditions and schedules of `--conditions` and `--schedules`: all conditions where neither is given.
 * @throws {UsageError} If a condition does not exist.
 */
export function chooseConditions(
  given: string | undefined,
  wantsSchedules: boolean,
): Pick<SweepRequest, "conditions" | "schedules"> {
  const fallback = wantsSchedules ? [] : CONDITIONS;
  const conditions = given === undefined ? fallback : parseNames(given, "condition", CONDITIONS);
  return { conditions, schedules: wantsSchedules ? PAPER_SCHEDULES : [] };
}

/**
 * Names separated by commas, each one of `known`.
 * @throws {UsageError} If one is not, or is given twice.
 */
export function parseNames(text: string, what: string, known: readonly string[]): string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const [i, name] of names.entries()) {
    if (!known.includes(name)) throw unknownName(what, name, known);
    if (names.indexOf(name) !== i) throw new UsageError(`${what} ${name} is given twice; once is enough`);
  }
  return names;
}

/**
 * Seeds such as `0-4` or `0,2,5-7`.
 * @throws {UsageError} If it is anything else, or a seed comes twice.
 */
export function parseSeeds(text: string): number[] {
  const seeds = text.split(",").flatMap((part) => {
    const match = /^\s*(\d{1,9})(?:-(\d{1,9}))?\s*$/.exec(part);
    const first = Number(match?.[1]);
    const last = match?.[2] === undefined ? first : Number(match[2]);
    if (match === null || last < first || last - first >= MOST_SEEDS)
      throw new UsageError(
        `--seeds takes whole numbers and ranges such as 0-4 or 0,2,5-7, got ${JSON.stringify(text)}`,
      );
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  if (new Set(seeds).size !== seeds.length) throw new UsageError(`--seeds: a seed comes twice in ${text}`);
  return seeds;
}

/** A range longer than this is a slip. */
const MOST_SEEDS = 1000;

/**
 * Everything that makes an experiment, in the page's address, so that a link reproduces it: domain, condition, preset,
 * seed, each changed setting by its dotted path, and what the page looks at.
 */
import { CONDITIONS, PRESETS, type ConditionName, type PresetName } from "../../../src/index.ts";
import type { RunChoice } from "../../protocol/lab.ts";
import { KNOBS } from "./knobs.ts";

/** What the form holds. */
export type Settings = {
  readonly domain: string;
  readonly condition: ConditionName;
  readonly preset: PresetName;
  readonly seed: number;
  /** `auto`, or a device by name. */
  readonly device: string;
  /** Changed settings by dotted path, as typed. */
  readonly overrides: Readonly<Record<string, string>>;
};

/** What the page looks at. */
export type Look = {
  readonly tab: InspectorTab;
  readonly theme: Theme;
  /** Index of the point of the curve; undefined follows the newest. */
  readonly at: number | undefined;
  /** Id of the run that is shown; empty shows the recorded one. */
  readonly run: string;
  /** Ids of runs laid over it. */
  readonly compare: readonly string[];
};

/** Tabs of the inspector, in the order of their keys. */
export const INSPECTOR_TABS = ["transcript", "harness", "about"] as const;
/** One of `INSPECTOR_TABS`. */
export type InspectorTab = (typeof INSPECTOR_TABS)[number];

/** Colour themes. */
export const THEMES = ["system", "light", "dark"] as const;
/** One of `THEMES`. */
export type Theme = (typeof THEMES)[number];

/** Where the form begins. */
export const FIRST_SETTINGS: Settings = {
  domain: "math-reasoning",
  condition: "whale",
  preset: PRESETS.find((name) => (name as string) === "tab") ?? "smoke",
  seed: 0,
  device: "auto",
  overrides: {},
};

/** Where the page looks at first. */
export const FIRST_LOOK: Look = { tab: "transcript", theme: "system", at: undefined, run: "", compare: [] };

/** An address read: what it says, and what of it could not be understood, for people. */
export type ReadAddress = { readonly settings: Settings; readonly look: Look; readonly problems: readonly string[] };

/** Reads the query part of an address, such as `?preset=smoke&set.rsft.prompts=16`. Unknown parts are told, not kept. */
export function readAddress(query: string, domains: readonly string[]): ReadAddress {
  const problems: string[] = [];
  const params = new URLSearchParams(query);
  const choose = <T extends string>(key: string, choices: readonly T[], fallback: T): T => {
    const value = params.get(key);
    if (value === null) return fallback;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) problems.push(`${key}: expected one of ${choices.join(", ")}, got “${value}”`);
    return found ?? fallback;
  };
  const settings: Settings = {
    domain: choose("domain", domains, FIRST_SETTINGS.domain),
    condition: choose("condition", CONDITIONS, FIRST_SETTINGS.condition),
    preset: choose("preset", PRESETS, FIRST_SETTINGS.preset),
    seed: readCount(params, "seed", problems) ?? FIRST_SETTINGS.seed,
    device: choose("device", ["auto", "webgpu", "wasm-threads", "wasm"], "auto"),
    overrides: readOverrides(params, problems),
  };
  const look: Look = {
    tab: choose("tab", INSPECTOR_TABS, FIRST_LOOK.tab),
    theme: choose("theme", THEMES, FIRST_LOOK.theme),
    at: readCount(params, "at", problems),
    run: params.get("run") ?? "",
    compare: (params.get("compare") ?? "").split(",").filter((id) => id !== ""),
  };
  return { settings, look, problems };
}

/** The query part for `settings` and `look`; what is at its first value is left out, except that a link names its seed. */
export function writeAddress(settings: Settings, look: Look): string {
  const params = new URLSearchParams();
  const put = (key: string, value: string, first: string): void => {
    if (value !== first) params.set(key, value);
  };
  params.set("domain", settings.domain);
  params.set("condition", settings.condition);
  params.set("preset", settings.preset);
  params.set("seed", String(settings.seed));
  put("device", settings.device, FIRST_SETTINGS.device);
  for (const [path, value] of Object.entries(settings.overrides).sort(([a], [b]) => (a < b ? -1 : 1)))
    params.set(`set.${path}`, value);
  put("run", look.run, "");
  put("compare", look.compare.join(","), "");
  put("tab", look.tab, FIRST_LOOK.tab);
  put("at", look.at === undefined ? "" : String(look.at), "");
  put("theme", look.theme, FIRST_LOOK.theme);
  return `?${params.toString()}`;
}

/** The settings as the worker takes them. */
export function choiceOf({ domain, condition, preset, seed, overrides }: Settings): RunChoice {
  return { domain, condition, preset, seed, overrides };
}

function readCount(params: URLSearchParams, key: string, problems: string[]): number | undefined {
  const text = params.get(key);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(value) && value >= 0) return value;
  problems.push(`${key}: expected a whole number, 0 or more, got “${text}”`);
  return undefined;
}

function readOverrides(params: URLSearchParams, problems: string[]): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const [key, value] of params) {
    if (!key.startsWith("set.")) continue;
    const path = key.slice("set.".length);
    // Paths that the page shows no control for are kept as well: a link may say more than the form.
    if (/^[a-z][A-Za-z]*(\.[a-z][A-Za-z0-9]*)*$/.test(path)) overrides[path] = value;
    else problems.push(`${key}: not the path of a setting, such as set.${KNOBS[0]?.path ?? "rsft.prompts"}`);
  }
  return overrides;
}

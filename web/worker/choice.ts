/** What a choice on the page means in settings. */
import { resolveConfig, type ExperimentConfig } from "../../src/index.ts";
import type { RunChoice } from "../protocol/lab.ts";
import { MODEL } from "./registry.ts";

/**
 * The settings of `choice`.
 * @throws {ConfigError} If a name, a key or a value does not exist.
 */
export function configOf({ preset, domain, condition, seed, overrides }: RunChoice): ExperimentConfig {
  return resolveConfig(preset, { domain, condition, model: MODEL, seed }, overrides);
}

/** The reference fixtures of the models folder; absent outside the workshop, then suites that need them are skipped. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAdapter, loadDecoder, type Decoder } from "../../src/model/load.ts";
import type { AdapterValues } from "../../src/model/lora.ts";
import { openFolder } from "../../src/platform/node/folder.ts";
import { openCheckpoint } from "../../src/weights/checkpoint.ts";

/** Folder of the model fixtures. */
export const MODELS = "../shared/data/models";

/** Whether the fixtures are there; says so once where they are not. */
export const hasModels: boolean = existsSync(MODELS);
if (!hasModels) process.stderr.write(`skipping the reference fixtures: no folder ${MODELS}\n`);

/** A JSON file of a fixture. */
export function readFixture(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(MODELS, ...path), "utf8"));
}

/** The decoder of the fixture `name`. */
export async function fixtureDecoder(name: string): Promise<Decoder> {
  return loadDecoder(await openCheckpoint(await openFolder(join(MODELS, name))));
}

/** The adapter of the fixture `name` for `decoder`. */
export async function fixtureAdapter(name: string, decoder: Decoder): Promise<AdapterValues> {
  return loadAdapter(decoder.config, await openFolder(join(MODELS, name)));
}

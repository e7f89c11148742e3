/** Planted harnesses, dishonest and honest, and their judgement by the checks that a search and `harness check` make. */
import { openCodec } from "../../src/experiment/model-policy.ts";
import { parseDecoderConfig } from "../../src/model/decoder-config.ts";
import { openFolder } from "../../src/platform/node/folder.ts";
import { checkHarness, type HarnessCheckName } from "../../src/rollout/check.ts";
import type { Domain } from "../../src/rollout/domain.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import type { ChatCodec } from "../../src/text/chat.ts";
import { readJsonFile } from "../../src/weights/checkpoint.ts";

/** A harness and the checks that must refuse it; an honest one has none. */
export type PlantedHarness = {
  readonly name: string;
  readonly source: string;
  readonly caughtBy: readonly HarnessCheckName[];
};

/** Sizes of the toy splits that planted harnesses meet, at seed 0. */
export const PLANTED_SIZES = { weight: 1, harness: 64, validation: 1, test: 1 } as const;

/** The checks that refuse `source` on the toy tasks of `domain`, with what they say. */
export async function refusals(
  domain: Domain,
  source: string,
): Promise<readonly (readonly [HarnessCheckName, string])[]> {
  const loaded = await domain.load({ seed: 0, sizes: PLANTED_SIZES });
  using sandbox = await createSandbox();
  const judgement = await checkHarness({
    domain: loaded.domain,
    source,
    codec: await openTinyCodec(),
    sandbox,
    tasks: loaded.tasks.harness,
    seed: 0,
  });
  return judgement.checks.flatMap(({ name, ok, detail }) => (ok ? [] : [[name, detail] as const]));
}

async function openTinyCodec(): Promise<ChatCodec> {
  const folder = await openFolder("models/tiny");
  const config = parseDecoderConfig(await readJsonFile(folder, "config.json"));
  return openCodec(folder, { config, values: new Map() });
}

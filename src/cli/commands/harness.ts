/** `harness check FILE`: whether a search would accept a harness, and why not. No weights are needed. */
import { resolveConfig } from "../../experiment/presets.ts";
import { openCodec } from "../../experiment/model-policy.ts";
import { searchTasks } from "../../experiment/confirm.ts";
import { effectiveLimits } from "../../experiment/rollouts.ts";
import { parseDecoderConfig } from "../../model/decoder-config.ts";
import { openFolder } from "../../platform/node/folder.ts";
import { checkHarness } from "../../rollout/check.ts";
import { createSandbox } from "../../sandbox/quickjs-sandbox.ts";
import type { ChatCodec } from "../../text/chat.ts";
import { readJsonFile } from "../../weights/checkpoint.ts";
import { parseAssignments, requireValue, type Arguments } from "../args.ts";
import { loadTasks, requestSplit } from "../execute.ts";
import { readTextFile } from "../files.ts";
import { findDomain, findModelFolder } from "../registry.ts";
import { printJson, type Terminal } from "../terminal.ts";

/** The model whose tokenizer counts the tokens of the check's rollouts. */
const MODEL = "tiny";

/** Judges the given harness; whatever the judgement, the status is 0. */
export async function judgeHarness(args: Arguments, terminal: Terminal): Promise<number> {
  const source = await readTextFile(requireValue(args.positionals[0], "FILE"), "harness");
  const named = findDomain(requireValue(args.text("domain"), "--domain"));
  const choice = { domain: named.name, condition: "whale", model: MODEL, seed: 0 };
  const preset = requireValue(args.text("preset"), "--preset");
  const config = resolveConfig(preset, choice, Object.fromEntries(parseAssignments(args.list("set"))));
  const { domain, tasks } = await loadTasks(named, requestSplit(config, "harness"), terminal);
  using sandbox = await createSandbox();
  const { accepted, checks } = await checkHarness({
    domain,
    source,
    codec: await openTinyCodec(),
    sandbox,
    tasks: searchTasks({ config, parts: { tasks } }),
    seed: config.seed,
    limits: effectiveLimits(config, domain),
  });
  const plain = checks.map(({ name, ok, detail }) => ({ name, ok, detail }));
  if (args.flag("json")) printJson(terminal, { accepted, checks: plain });
  else
    terminal.out(
      [
        ...plain.map(
          ({ name, ok, detail }) => `${ok ? "ok     " : "failed "} ${name}${detail === "" ? "" : `: ${detail}`}`,
        ),
        accepted ? "accepted" : "refused",
        "",
      ].join("\n"),
    );
  return 0;
}

async function openTinyCodec(): Promise<ChatCodec> {
  const folder = await openFolder(findModelFolder(MODEL));
  const config = parseDecoderConfig(await readJsonFile(folder, "config.json"));
  return openCodec(folder, { config, values: new Map() });
}

/** The one place that opens a policy with its device, codec and sandbox, for every command that plays rollouts. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ExperimentConfig } from "../experiment/config.ts";
import { openPolicy } from "../experiment/model-policy.ts";
import type { Policy } from "../experiment/policy.ts";
import { openFolder } from "../platform/node/folder.ts";
import { openRuntime } from "../platform/node/ort-node.ts";
import type { DeviceName } from "../runtime/session.ts";
import type { Sandbox } from "../sandbox/isolate.ts";
import { createSandbox } from "../sandbox/quickjs-sandbox.ts";
import type { ChatCodec } from "../text/chat.ts";
import { findModelFolder } from "./registry.ts";

/** A policy with what its rollouts need. */
export type Workbench = AsyncDisposable & {
  readonly policy: Policy;
  readonly codec: ChatCodec;
  readonly sandbox: Sandbox;
};

/** Where and with what a workbench is opened. */
export type WorkbenchOptions = {
  readonly device: DeviceName | "auto";
  /** A PEFT folder. @default a fresh adapter */
  readonly adapter?: string | undefined;
  /** Threads on the CPU. @default all cores, or one for a small model */
  readonly threads?: number | undefined;
};

/** Under this many bytes of weights a second thread costs more than it brings (docs/log.md, decoding by threads). */
const SMALL_MODEL = 64e6;

/** One thread for a small model; undefined, which is all cores, for others. */
async function defaultThreads(folder: string): Promise<number | undefined> {
  const sizes = await Promise.all(
    (await readdir(folder))
      .filter((file) => file.endsWith(".safetensors"))
      .map(async (file) => (await stat(join(folder, file))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) < SMALL_MODEL ? 1 : undefined;
}

/**
 * Opens the model of `config`.
 * @throws {LabError} If the model, the adapter or the device cannot be used.
 */
export async function openWorkbench(
  config: ExperimentConfig,
  { device, adapter, threads }: WorkbenchOptions,
): Promise<Workbench> {
  const path = findModelFolder(config.model);
  const folder = await openFolder(path);
  const most = threads ?? (await defaultThreads(path));
  const runtime = await openRuntime(device, most === undefined ? {} : { threads: most });
  const opened = await openPolicy({
    name: config.model,
    folder,
    runtime,
    config,
    ...(adapter !== undefined && { adapter: await openFolder(adapter) }),
  });
  const sandbox = await createSandbox();
  return {
    policy: opened.policy,
    codec: opened.codec,
    sandbox,
    [Symbol.asyncDispose]: async () => {
      sandbox[Symbol.dispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** The one place that opens a policy with its device, codec and sandbox, for every command that plays rollouts. */
import { readdir, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
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
import { openReplicaWorkers } from "./replicas.ts";

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
  /** Threads on the CPU. @default one a core */
  readonly threads?: number | undefined;
};

/**
 * Under this many bytes of weights a session with a second thread costs more than it brings (docs/log.md, decoding by
 * threads), so the threads decode different rows instead.
 */
const SMALL_MODEL = 64e6;

async function isSmall(folder: string): Promise<boolean> {
  const sizes = await Promise.all(
    (await readdir(folder))
      .filter((file) => file.endsWith(".safetensors"))
      .map(async (file) => (await stat(join(folder, file))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) < SMALL_MODEL;
}

/**
 * Opens the model of `config`.
 * @throws {LabError} If the model, the adapter or the device cannot be used.
 */
export async function openWorkbench(
  config: ExperimentConfig,
  { device, adapter, threads = availableParallelism() }: WorkbenchOptions,
): Promise<Workbench> {
  const path = findModelFolder(config.model);
  const folder = await openFolder(path);
  const isSplit = await isSmall(path);
  const runtime = await openRuntime(device, { threads: isSplit ? 1 : threads });
  const { replicas } = config.rollout;
  // All or none: replicas of one thread beside a single one of another would keep it waiting.
  const workers = openReplicaWorkers(isSplit && runtime.device === "cpu" && threads >= replicas ? replicas - 1 : 0);
  const opened = await openPolicy({
    name: config.model,
    folder,
    runtime,
    config,
    workers,
    ...(adapter !== undefined && { adapter: await openFolder(adapter) }),
  }).catch(async (error: unknown) => {
    await workers[Symbol.asyncDispose]();
    throw error;
  });
  const sandbox = await createSandbox();
  return {
    policy: opened.policy,
    codec: opened.codec,
    sandbox,
    [Symbol.asyncDispose]: async () => {
      sandbox[Symbol.dispose]();
      await opened[Symbol.asyncDispose]();
      await workers[Symbol.asyncDispose]();
    },
  };
}

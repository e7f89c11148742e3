/** The one place that opens a policy with its device, codec and sandbox, for every command that plays rollouts. */
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
  /** Threads on the CPU. @default all cores */
  readonly threads?: number | undefined;
};

/**
 * Opens the model of `config`.
 * @throws {LabError} If the model, the adapter or the device cannot be used.
 */
export async function openWorkbench(
  config: ExperimentConfig,
  { device, adapter, threads }: WorkbenchOptions,
): Promise<Workbench> {
  const folder = await openFolder(findModelFolder(config.model));
  const runtime = await openRuntime(device, threads === undefined ? {} : { threads });
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

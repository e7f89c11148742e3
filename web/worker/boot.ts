/** What happens once, before anything else: the device is chosen, the model loaded, the shelf swept. */
import { CONDITION_TABLE, CONDITIONS, PRESETS, type ChatCodec } from "../../src/index.ts";
import type { BootReport, DeviceChoice } from "../protocol/lab.ts";
import type { LabEvent } from "../protocol/messages.ts";
import { openDevice, type Device } from "./devices.ts";
import { loadDomains } from "./registry.ts";
import { listShelf, readStorage, sweepShelf } from "./shelf.ts";

/** What everything else works with. */
export type Booted = { readonly device: Device; readonly codec: ChatCodec };

/**
 * Boots the lab on the device `wanted`, or on the fastest.
 * @throws {LabError} If there is none, or the model or the storage cannot be opened.
 */
export async function boot(
  { device: wanted }: { readonly device?: DeviceChoice | undefined },
  send: (event: LabEvent) => void,
): Promise<{ readonly booted: Booted; readonly report: BootReport }> {
  const tell = (share: number, what: string): void => {
    send({ kind: "booting", share, what });
  };
  tell(0.05, "Loading the model and trying what this machine can do");
  // Domains and storage are looked at while the device is measured.
  const [device, domains] = await Promise.all([openDevice(wanted), loadDomains()]);
  tell(0.9, "Opening your runs");
  await sweepShelf();
  const runs = await listShelf(undefined);
  const report: BootReport = {
    device: device.report,
    domains: domains.map(({ name, title, tiers, defaultTier, seedHarness, axes, causes, guide }) => {
      return { name, title, tiers, defaultTier, seedHarness, axes, causes, guide };
    }),
    conditions: CONDITIONS.map((name) => {
      const { title, weights, harness, adaptive, promptOnly } = CONDITION_TABLE[name];
      return { name, title, weights, harness, adaptive, promptOnly };
    }),
    presets: PRESETS,
    storage: await readStorage(),
    isCrossOriginIsolated: globalThis.crossOriginIsolated,
    unfinished: runs.filter(({ status }) => status === "unfinished"),
    bootMs: Math.round(performance.now()),
  };
  return { booted: { device, codec: device.codec }, report };
}

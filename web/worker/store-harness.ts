/** The blob store behind messages, so that the tests of its contract can drive it; not part of the build that is published. */
import { describeError } from "../../src/index.ts";
import { createOpfsBlobStore } from "../../src/platform/browser/opfs-blob-store.ts";
import type { StoreCall } from "./store-call.ts";

const stores = new Map<string, ReturnType<typeof createOpfsBlobStore>>();

globalThis.addEventListener("message", ({ data }: MessageEvent<StoreCall>) => {
  void answer(data);
});

async function answer({ id, root, method, args }: StoreCall): Promise<void> {
  const store = stores.get(root) ?? createOpfsBlobStore(root);
  stores.set(root, store);
  try {
    const call = store[method] as (...given: StoreCall["args"]) => Promise<unknown>;
    globalThis.postMessage({ id, value: await call(...args) });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    globalThis.postMessage({ id, error: { name, message: describeError(error) } });
  }
}

/** Builds the page once for all tests of the `page` project, with the test page in it; tests get its folder by `inject`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  // The name of the interface is Vitest's.
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions
  interface ProvidedContext {
    readonly pageFolder: string;
  }
}

/** Vitest calls this before the first test file, and what it returns after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "spyhop-page-"));
  await build({
    configFile: fileURLToPath(new URL("../../web/vite.config.ts", import.meta.url)),
    mode: "test",
    logLevel: "error",
    build: { outDir: folder },
  });
  project.provide("pageFolder", folder);
  return () => rm(folder, { recursive: true, force: true });
}

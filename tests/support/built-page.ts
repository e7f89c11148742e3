/** The page, built into a folder that goes away again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** A build. */
export type BuiltPage = AsyncDisposable & { readonly folder: string };

/** Builds the page; mode `test` adds the page that tests drive. */
export async function buildPage(mode: "production" | "test"): Promise<BuiltPage> {
  const folder = await mkdtemp(join(tmpdir(), "spyhop-page-"));
  await build({
    configFile: fileURLToPath(new URL("../../web/vite.config.ts", import.meta.url)),
    mode,
    logLevel: "error",
    build: { outDir: folder },
  });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

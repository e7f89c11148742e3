/** Builds the page once for all tests of the `page` project, with the test page in it; tests get its folder by `inject`. */
import type { TestProject } from "vitest/node";
import { buildPage } from "./built-page.ts";

declare module "vitest" {
  // The name of the interface is Vitest's.
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions
  interface ProvidedContext {
    readonly pageFolder: string;
  }
}

/** Vitest calls this before the first test file, and what it returns after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const page = await buildPage("test");
  project.provide("pageFolder", page.folder);
  return async () => {
    await page[Symbol.asyncDispose]();
  };
}

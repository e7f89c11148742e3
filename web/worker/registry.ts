/** The one place of the page that knows domains and models by name; both are fetched when they are first needed. */
import type { Domain } from "../../src/index.ts";
import { openUrlFolder } from "../../src/platform/browser/url-folder.ts";
import { LabProblem } from "./problems.ts";

const DOMAINS = new Map<string, () => Promise<Domain>>([
  ["math-reasoning", () => import("../../domains/math-reasoning/domain.ts").then((module) => module.mathReasoning)],
  ["search-qa", () => import("../../domains/search-qa/domain.ts").then((module) => module.searchQa)],
  ["chess-puzzles", () => import("../../domains/chess-puzzles/domain.ts").then((module) => module.chessPuzzles)],
]);

/** Model that all runs of the page train. */
export const MODEL = "tiny";

/** URL of the folder with the files that are fetched at run time; the page gives it as the worker's name. */
export const ENGINE_URL: string = globalThis.name;

/** The folder of the shipped model. */
export const MODEL_FOLDER: ReturnType<typeof openUrlFolder> = openUrlFolder(`${ENGINE_URL}models/${MODEL}/`, MODEL);

/** All domains, in the order to offer them. */
export function loadDomains(): Promise<Domain[]> {
  return Promise.all([...DOMAINS.values()].map((load) => load()));
}

/**
 * The domain called `name`.
 * @throws {LabProblem} If there is none.
 */
export async function findDomain(name: string): Promise<Domain> {
  const load = DOMAINS.get(name);
  if (!load)
    throw new LabProblem({
      kind: "setting",
      what: `This page does not know the domain ${JSON.stringify(name)}.`,
      safe: "Nothing was changed.",
      next: `Choose one of ${[...DOMAINS.keys()].join(", ")}.`,
    });
  return load();
}

/** What stands where a transcript would, as long as there is none: each way of having none has a sentence that says why. */
import type { RolloutGroup } from "../../protocol/rollouts.ts";
import type { RunView } from "./run-view.ts";

/** How far the list of the chosen rollouts has come. */
export type Listing =
  | { readonly kind: "none" }
  /** `isLate` once it has taken longer than a person waits without asking why. */
  | { readonly kind: "reading"; readonly isLate: boolean }
  | { readonly kind: "read"; readonly count: number }
  | { readonly kind: "failed"; readonly why: string };

/** What the sentence depends on. */
export type ReadingState = {
  readonly view: Pick<RunView, "config" | "isComplete">;
  /** What the recorded run is; empty where a real one is shown. */
  readonly recorded: string;
  readonly groups: readonly Pick<RolloutGroup, "group">[];
  readonly group: string;
  readonly listing: Listing;
};

/** What is said while something is being read and the worker does not come to it. */
export const LATE =
  "The run keeps the processor busy. What the model wrote is read as soon as the run takes a breath; pause it to read now.";

/** The sentence of a transcript tab without a transcript. */
export function describeReading({ view, recorded, groups, group, listing }: ReadingState): string {
  if (listing.kind === "failed")
    return `These rollouts could not be read: ${listing.why} The run itself is safe; choose others above, or reload the page.`;
  if (listing.kind === "reading") return listing.isLate ? LATE : "Reading what the model wrote …";
  if (group !== "") return "Of these rollouts nothing was kept. Choose others above.";
  if (view.config === undefined) return "Rollouts appear here: what the model was asked, wrote and got.";
  if (groups.length > 0 || recorded !== "") return "Choose a point on the curve, or rollouts above.";
  return view.isComplete ? "This run kept no rollouts." : "The first rollouts appear here as soon as they are done.";
}

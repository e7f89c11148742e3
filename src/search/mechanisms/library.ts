/** All mechanisms of a domain: those made from its phrases and variants, and the generic edits of control flow. */
import { attemptMechanisms } from "./attempts.ts";
import { chatMechanisms } from "./chat-options.ts";
import { exampleMechanisms } from "./example.ts";
import { feedbackMechanisms } from "./feedback.ts";
import type { Mechanism, SearchSpace } from "./mechanism.ts";
import { numberMechanisms, phraseMechanisms } from "./phrases.ts";
import { recoveryMechanisms } from "./recovery.ts";
import { variantMechanisms } from "./variants.ts";

/** Builds every mechanism of `space`; names are unique. */
export function buildMechanisms(space: SearchSpace): readonly Mechanism[] {
  const all = [
    ...variantMechanisms(space),
    ...phraseMechanisms(space),
    ...numberMechanisms(space),
    ...chatMechanisms(space),
    ...recoveryMechanisms(space),
    ...attemptMechanisms(space),
    ...feedbackMechanisms(space),
    ...exampleMechanisms(space),
  ];
  return [...new Map(all.map((mechanism) => [mechanism.name, mechanism])).values()];
}

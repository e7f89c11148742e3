/** Whether an answer came out of the model: the check that a harness cannot put words into the policy's mouth. */

/** A reply: what the harness began, and what the model sampled after it. */
export type Reply = { readonly prefill: string; readonly text: string };

/**
 * The first of `claims` that no reply supports, or undefined. A claim must stand in one reply; it may begin in the prefill,
 * but not lie wholly inside it.
 */
export function unsupportedClaim(claims: readonly string[], replies: readonly Reply[]): string | undefined {
  return claims.find((claim) => claim !== "" && !replies.some((reply) => supports(reply, claim)));
}

function supports({ prefill, text }: Reply, claim: string): boolean {
  // An occurrence that ends after the prefill starts no earlier than this.
  const from = Math.max(0, prefill.length - claim.length + 1);
  return (prefill + text).indexOf(claim, from) >= 0;
}

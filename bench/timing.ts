/** Timing by turns: each contender runs once a round, and the fastest round of each counts. */

/** Shortest time of each of `contenders` over `rounds`, in seconds; one unmeasured round comes first. */
export async function fastestOf<K extends string>(
  contenders: Readonly<Record<K, () => Promise<unknown>>>,
  rounds: number,
): Promise<Record<K, number>> {
  const names = Object.keys(contenders) as K[];
  const best = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<K, number>;
  for (let round = 0; round <= rounds; round += 1)
    for (const name of names) {
      const start = performance.now();
      await contenders[name]();
      const seconds = (performance.now() - start) / 1000;
      if (round > 0) best[name] = Math.min(best[name], seconds);
    }
  return best;
}

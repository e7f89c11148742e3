/** Masks that are added to attention scores. */

/** Hides a position: exp of it is 0 in f32 whatever the score, and it stays finite in sums. */
const HIDDEN = -1e9;

/** [length, length]: 0 on and below the diagonal, `HIDDEN` above it. */
export function causalMask(length: number): Float32Array {
  const data = new Float32Array(length * length).fill(HIDDEN);
  for (let t = 0; t < length; t += 1) data.fill(0, t * length, t * length + t + 1);
  return data;
}

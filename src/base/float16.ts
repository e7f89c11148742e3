/** Half-precision storage formats, IEEE binary16 (f16) and bfloat16 (bf16), to and from f32. */

/** Widens bf16 `bits` to f32, exactly. */
export function decodeBf16(bits: Uint16Array): Float32Array {
  const words = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i += 1) words[i] = (bits[i] as number) << 16;
  return new Float32Array(words.buffer);
}

/** Narrows f32 `values` to bf16, rounding to nearest even. */
export function encodeBf16(values: Float32Array): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as number;
    const isNan = (word & 0x7fffffff) > 0x7f800000;
    out[i] = isNan ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return out;
}

/** Widens f16 `bits` to f32, exactly. */
export function decodeF16(bits: Uint16Array): Float32Array {
  const out = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i += 1) {
    const half = bits[i] as number;
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >>> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) out[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) out[i] = fraction ? NaN : sign * Infinity;
    else out[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return out;
}

/** Narrows f32 `values` to f16, rounding to nearest even; values beyond 65504 become infinite. */
export function encodeF16(values: Float32Array): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i += 1) out[i] = halfBits(words[i] as number);
  return out;
}

function halfBits(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  const exponent = (magnitude >>> 23) - 112;
  if (exponent < -10) return sign;
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  // Below the smallest normal half the hidden bit becomes part of the fraction, shifted once more per missing power.
  const shift = exponent <= 0 ? 14 - exponent : 13;
  const kept = mantissa >>> shift;
  const rest = mantissa & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  const rounded = kept + (rest > middle || (rest === middle && kept & 1) ? 1 : 0);
  return exponent <= 0 ? sign | rounded : sign | (((exponent - 1) << 10) + rounded);
}

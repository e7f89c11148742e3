/**
 * Dimensions: numbers, or polynomials of named symbols such as `B*T` and `S+T`, kept as canonical text so that equal
 * dimensions are equal strings. A graph is built once for all sizes; symbols are bound when it runs.
 */
import { GraphError } from "../base/errors.ts";

/** One dimension: a size, or a canonical polynomial of symbols. */
export type Dim = number | string;
/** The dimensions of a tensor, outermost first. */
export type Shape = readonly Dim[];
/** Values of symbols. */
export type Bindings = ReadonlyMap<string, number>;

/** Coefficients by monomial; a monomial is its sorted symbols joined by `*`, "" for the constant term. */
type Polynomial = Map<string, number>;

/** The product of `dims`, 1 for none. */
export function mulDims(...dims: readonly Dim[]): Dim {
  if (dims.every((dim) => typeof dim === "number")) return dims.reduce((product, dim) => product * dim, 1);
  return formatDim(dims.map(parseDim).reduce<ReadonlyMap<string, number>>(multiply, new Map([["", 1]])));
}

/** The sum of `dims`, 0 for none. */
export function addDims(...dims: readonly Dim[]): Dim {
  const sum: Polynomial = new Map();
  for (const dim of dims) for (const [term, factor] of parseDim(dim)) sum.set(term, (sum.get(term) ?? 0) + factor);
  return formatDim(sum);
}

/**
 * The difference of `a` and `b`.
 * @throws {GraphError} If it would be negative for some binding.
 */
export function subtractDims(a: Dim, b: Dim): Dim {
  const difference: Polynomial = new Map(parseDim(a));
  for (const [term, factor] of parseDim(b)) difference.set(term, (difference.get(term) ?? 0) - factor);
  if ([...difference.values()].some((factor) => factor < 0))
    throw new GraphError(`dimension ${String(a)} may be less than ${String(b)}`);
  return formatDim(difference);
}

/**
 * Binds the symbol of `dim`, such as `N` of `16*N`, so that it comes to `size`; a sum or a product of symbols only has to
 * be the same wherever it occurs. False where `size` is not possible, or another one than before.
 */
export function bindDim(bindings: Map<string, number>, dim: Dim, size: number): boolean {
  if (typeof dim === "number") return dim === size;
  const [[term, factor] = ["", 1], ...others] = parseDim(dim);
  const isSingle = others.length === 0 && !term.includes("*");
  const [symbol, value] = isSingle ? [term, size / factor] : [dim, size];
  const bound = bindings.get(symbol);
  bindings.set(symbol, value);
  return Number.isInteger(value) && (bound === undefined || bound === value);
}

/** `dim` as a number under `bindings`. */
export function evalDim(dim: Dim, bindings: Bindings): number {
  if (typeof dim === "number") return dim;
  let total = 0;
  for (const [term, factor] of parseDim(dim)) {
    let product = factor;
    for (const symbol of term === "" ? [] : term.split("*")) {
      const size = bindings.get(symbol);
      if (size === undefined) throw new GraphError(`dimension ${dim}: symbol ${symbol} is not bound by any input`);
      product *= size;
    }
    total += product;
  }
  return total;
}

/** `shape` as numbers under `bindings`. */
export function evalShape(shape: Shape, bindings: Bindings): number[] {
  return shape.map((dim) => evalDim(dim, bindings));
}

/** Whether two shapes are the same for every binding. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis]);
}

/** `shape` as text, such as `[B, T, 128]`. */
export function formatShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

/**
 * The shape that `a` and `b` broadcast to, by ONNX's multidirectional rule.
 * @throws {GraphError} If two dimensions differ and neither is 1.
 */
export function broadcastShapes(a: Shape, b: Shape, subject: string): Dim[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const left = a[axis - rank + a.length] ?? 1;
    const right = b[axis - rank + b.length] ?? 1;
    if (left === right || right === 1) return left;
    if (left === 1) return right;
    throw new GraphError(`${subject}: shapes do not broadcast, ${formatShape(a)} with ${formatShape(b)}`);
  });
}

/** The dimension at `axis` of `shape`; negative axes count from the end. */
export function dimAt(shape: Shape, axis: number): Dim {
  const dim = shape.at(axis);
  if (dim === undefined) throw new GraphError(`axis ${String(axis)} is outside ${formatShape(shape)}`);
  return dim;
}

/** Few different dimensions occur, and each run of a graph asks for all of its own again. */
const PARSED = new Map<string, ReadonlyMap<string, number>>();

function parseDim(dim: Dim): ReadonlyMap<string, number> {
  if (typeof dim === "number") return new Map([["", dim]]);
  const known = PARSED.get(dim) ?? parsePolynomial(dim);
  PARSED.set(dim, known);
  return known;
}

function parsePolynomial(dim: string): Polynomial {
  const polynomial: Polynomial = new Map();
  for (const part of dim.split("+")) {
    const factors = part.split("*");
    const factor = factors.reduce((product, text) => (isNumeral(text) ? product * Number(text) : product), 1);
    const term = factors
      .filter((text) => !isNumeral(text))
      .sort()
      .join("*");
    polynomial.set(term, (polynomial.get(term) ?? 0) + factor);
  }
  return polynomial;
}

function isNumeral(text: string): boolean {
  return /^\d+$/.test(text);
}

function multiply(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Polynomial {
  const product: Polynomial = new Map();
  for (const [left, leftFactor] of a)
    for (const [right, rightFactor] of b) {
      const term = [left, right]
        .filter((text) => text !== "")
        .flatMap((text) => text.split("*"))
        .sort()
        .join("*");
      product.set(term, (product.get(term) ?? 0) + leftFactor * rightFactor);
    }
  return product;
}

function formatDim(polynomial: ReadonlyMap<string, number>): Dim {
  const terms = [...polynomial].filter(([, factor]) => factor !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const [first] = terms;
  if (first === undefined) return 0;
  if (terms.length === 1 && first[0] === "") return first[1];
  return terms
    .map(([term, factor]) => (term === "" ? String(factor) : factor === 1 ? term : `${String(factor)}*${term}`))
    .join("+");
}

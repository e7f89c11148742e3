/**
 * The header of a safetensors file: where each tensor lies, with every check that can be made before data are read.
 *
 * A file is an 8-byte little-endian header length, a JSON header, then the tensors' bytes; offsets in the header count
 * from the end of the header. Source: https://huggingface.co/docs/safetensors (format section). As the reference
 * implementation does, this refuses overlaps, holes and bytes that no tensor owns.
 */
import { WeightsError } from "../base/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Where a tensor lies in its file. */
export type TensorEntry = {
  /** The name of the element type as the file has it, such as `BF16`. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** First byte, counted from the start of the file. */
  readonly start: number;
  /** The byte after the last. */
  readonly end: number;
};

/** What the header of a file says. */
export type TensorHeader = {
  readonly fileName: string;
  /** The `__metadata__` strings, empty where the file has none. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly entries: ReadonlyMap<string, TensorEntry>;
  /** Names of all tensors, sorted. */
  readonly names: readonly string[];
};

/** A file as far as its header is concerned. */
export type HeaderSource = {
  /** What messages call the file. */
  readonly fileName: string;
  /** Size of the whole file. */
  readonly fileBytes: number;
};

/** Bytes of one element, for every type that the format names and whose size is whole bytes. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  I64: 8,
  U64: 8,
  F64: 8,
  C64: 8,
};

/** The reference implementation's limit, which also catches files of another kind. */
const LARGEST_HEADER = 100_000_000;
/** Bytes of the length field that a file starts with. */
export const LENGTH_BYTES = 8;
/** The one name that is no tensor. */
export const METADATA_KEY = "__metadata__";

/**
 * The length of the header in bytes, from `head`, the first 8 bytes of the file.
 * @throws {WeightsError} If the file cannot be a safetensors file or is cut within its header.
 */
export function readHeaderLength(head: Uint8Array, { fileName, fileBytes }: HeaderSource): number {
  if (head.byteLength < LENGTH_BYTES)
    throw new WeightsError(
      `${fileName}: truncated, expected at least 8 bytes, got ${String(fileBytes)}; fetch the file again`,
    );
  const view = new DataView(head.buffer, head.byteOffset, LENGTH_BYTES);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length > LARGEST_HEADER || length < 2)
    throw new WeightsError(`${fileName}: not a safetensors file, its header would be ${String(length)} bytes long`);
  if (LENGTH_BYTES + length > fileBytes)
    throw new WeightsError(
      `${fileName}: truncated within the header, expected ${String(LENGTH_BYTES + length)} bytes or more, ` +
        `got ${String(fileBytes)}; fetch the file again`,
    );
  return length;
}

/**
 * Parses the header's JSON, given as its bytes, and checks that the tensors fill the file.
 * @throws {WeightsError} If the header is damaged or the file truncated; the message names file and tensor.
 */
export function parseHeader(json: Uint8Array, source: HeaderSource): TensorHeader {
  const { fileName, fileBytes } = source;
  const dataStart = LENGTH_BYTES + json.byteLength;
  const header = parseJsonObject(json, fileName);
  const entries = new Map<string, TensorEntry>();
  for (const [name, value] of Object.entries(header))
    if (name !== METADATA_KEY) entries.set(name, parseEntry(value, { fileName, name, dataStart }));
  checkLayout(entries, { fileName, dataStart, fileBytes });
  return {
    fileName,
    metadata: parseMetadata(header[METADATA_KEY], fileName),
    entries,
    names: [...entries.keys()].sort(),
  };
}

/**
 * Where the tensor `name` lies.
 * @throws {WeightsError} If the file has no such tensor.
 */
export function findEntry({ entries, fileName }: TensorHeader, name: string): TensorEntry {
  const entry = entries.get(name);
  if (!entry) throw new WeightsError(`${fileName}: no tensor ${name}; it holds ${String(entries.size)} others`);
  return entry;
}

/** The number of values that `shape` holds. */
export function countValues(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function parseJsonObject(bytes: Uint8Array, fileName: string): JsonObject {
  let header: JsonValue;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as JsonValue;
  } catch (cause) {
    throw new WeightsError(`${fileName}: damaged, its header is not JSON; fetch the file again`, { cause });
  }
  if (!isJsonObject(header)) throw new WeightsError(`${fileName}: damaged, its header is not a JSON object`);
  return header;
}

function parseMetadata(value: JsonValue | undefined, fileName: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw new WeightsError(`${fileName}: damaged, ${METADATA_KEY} is not an object`);
  const strings = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(strings);
}

type Place = { readonly fileName: string; readonly name: string; readonly dataStart: number };

function parseEntry(value: JsonValue | undefined, { fileName, name, dataStart }: Place): TensorEntry {
  const fail = (problem: string): never => {
    throw new WeightsError(`${fileName}: ${name}: ${problem}`);
  };
  if (!isJsonObject(value)) return fail("its header entry is not an object");
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(ELEMENT_BYTES, dtype))
    return fail(`unknown dtype ${JSON.stringify(dtype)}, expected one of ${Object.keys(ELEMENT_BYTES).join(", ")}`);
  if (!isCounts(shape)) return fail(`shape must be a list of sizes, got ${JSON.stringify(shape)}`);
  if (!isCounts(offsets) || offsets.length !== 2)
    return fail(`data_offsets must be [start, end], got ${JSON.stringify(offsets)}`);
  const [start, end] = offsets as readonly [number, number];
  const expected = countValues(shape) * (ELEMENT_BYTES[dtype] as number);
  if (end - start !== expected)
    return fail(`${dtype} [${shape.join(", ")}] takes ${String(expected)} bytes, got ${String(end - start)}`);
  return { dtype, shape, start: dataStart + start, end: dataStart + end };
}

function isCounts(value: JsonValue | undefined): value is readonly number[] {
  return isJsonArray(value) && value.every((size) => Number.isSafeInteger(size) && (size as number) >= 0);
}

type Extent = { readonly fileName: string; readonly dataStart: number; readonly fileBytes: number };

function checkLayout(entries: ReadonlyMap<string, TensorEntry>, extent: Extent): void {
  const { fileName, dataStart, fileBytes } = extent;
  let expected = dataStart;
  let previous = "the header";
  for (const [name, { start, end }] of [...entries].sort(([, a], [, b]) => a.start - b.start || a.end - b.end)) {
    if (end > fileBytes)
      throw new WeightsError(
        `${fileName}: ${name}: truncated, its bytes end at ${String(end)} but the file at ${String(fileBytes)}; ` +
          "fetch the file again",
      );
    if (start < expected) throw new WeightsError(`${fileName}: ${name}: its bytes overlap those of ${previous}`);
    if (start > expected)
      throw new WeightsError(`${fileName}: ${name}: ${String(start - expected)} bytes before it belong to no tensor`);
    expected = end;
    previous = name;
  }
  if (expected !== fileBytes)
    throw new WeightsError(`${fileName}: damaged, the last ${String(fileBytes - expected)} bytes belong to no tensor`);
}

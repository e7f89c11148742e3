/**
 * The safetensors file format, read and written.
 *
 * A file is an 8-byte little-endian header length, a JSON header, then the tensors' bytes; offsets in the header count
 * from the end of the header. Source: https://huggingface.co/docs/safetensors (format section). As the reference
 * implementation does, this refuses overlaps, holes and bytes that no tensor owns. Values are read as f32 only, which is
 * all a model here needs; files are taken to be on a little-endian host.
 */
import { decodeBf16, decodeF16, encodeBf16, encodeF16 } from "../base/float16.ts";
import { WeightsError } from "../base/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Element types that can be read into f32 and written. */
export const FLOAT_DTYPES = ["F32", "F16", "BF16"] as const;
/** One of `FLOAT_DTYPES`. */
export type FloatDtype = (typeof FLOAT_DTYPES)[number];

/** A tensor in host memory: `data` holds the product of `shape` values, last axis fastest. */
export type Tensor = { readonly shape: readonly number[]; readonly data: Float32Array };

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

/** A parsed safetensors file. */
export type TensorFile = {
  readonly fileName: string;
  /** The `__metadata__` strings, empty where the file has none. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly entries: ReadonlyMap<string, TensorEntry>;
  /** Names of all tensors, sorted. */
  readonly names: readonly string[];
  /**
   * The tensor `name` as f32. An aligned F32 tensor is a view of the file's bytes: do not change it.
   * @throws {WeightsError} If there is no such tensor or its element type is not one of `FLOAT_DTYPES`.
   */
  readonly read: (name: string) => Tensor;
};

/** Options of `formatSafetensors`. */
export type FormatOptions = {
  /** Element type to store; F16 and BF16 round to nearest even. @default "F32" */
  readonly dtype?: FloatDtype;
  /** Strings for `__metadata__`. @default none */
  readonly metadata?: Readonly<Record<string, string>>;
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
const LENGTH_BYTES = 8;
const METADATA_KEY = "__metadata__";

/**
 * Parses a safetensors file; `fileName` is what messages call it.
 * @throws {WeightsError} If the file is truncated or its header is damaged; the message names file and tensor.
 */
export function parseSafetensors(bytes: Uint8Array, fileName = "safetensors file"): TensorFile {
  const dataStart = LENGTH_BYTES + headerLength(bytes, fileName);
  const header = parseHeader(bytes.subarray(LENGTH_BYTES, dataStart), fileName);
  const entries = new Map<string, TensorEntry>();
  for (const [name, value] of Object.entries(header))
    if (name !== METADATA_KEY) entries.set(name, parseEntry(value, { fileName, name, dataStart }));
  checkLayout(entries, { fileName, dataStart, fileBytes: bytes.byteLength });
  return {
    fileName,
    metadata: parseMetadata(header[METADATA_KEY], fileName),
    entries,
    names: [...entries.keys()].sort(),
    read: (name) => {
      const entry = entries.get(name);
      if (!entry) throw new WeightsError(`${fileName}: no tensor ${name}; it holds ${String(entries.size)} others`);
      return { shape: entry.shape, data: readFloats(bytes, entry, `${fileName}: ${name}`) };
    },
  };
}

/**
 * The bytes of a safetensors file that holds `tensors`, names sorted, data aligned to 8 bytes. Equal input gives equal bytes.
 * @throws {RangeError} If a tensor's data does not fill its shape, or a name is reserved.
 */
export function formatSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  options: FormatOptions = {},
): Uint8Array<ArrayBuffer> {
  const { dtype = "F32", metadata } = options;
  const names = Object.keys(tensors).sort();
  const fields = metadata ? [`"${METADATA_KEY}":${formatMetadata(metadata)}`] : [];
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (const name of names) {
    const tensor = tensors[name] as Tensor;
    checkTensor(name, tensor);
    const chunk = encodeFloats(tensor.data, dtype);
    const place = { dtype, shape: tensor.shape, data_offsets: [offset, offset + chunk.byteLength] };
    // Joined as text, since an object would move names that look like integers to the front.
    fields.push(`${JSON.stringify(name)}:${JSON.stringify(place)}`);
    chunks.push(chunk);
    offset += chunk.byteLength;
  }
  return joinFile(`{${fields.join(",")}}`, chunks, offset);
}

/** The number of values that `shape` holds. */
export function countValues(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function headerLength(bytes: Uint8Array, fileName: string): number {
  if (bytes.byteLength < LENGTH_BYTES)
    throw new WeightsError(
      `${fileName}: truncated, expected at least 8 bytes, got ${String(bytes.byteLength)}; fetch the file again`,
    );
  const view = new DataView(bytes.buffer, bytes.byteOffset, LENGTH_BYTES);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length > LARGEST_HEADER || length < 2)
    throw new WeightsError(`${fileName}: not a safetensors file, its header would be ${String(length)} bytes long`);
  if (LENGTH_BYTES + length > bytes.byteLength)
    throw new WeightsError(
      `${fileName}: truncated within the header, expected ${String(LENGTH_BYTES + length)} bytes or more, ` +
        `got ${String(bytes.byteLength)}; fetch the file again`,
    );
  return length;
}

function parseHeader(bytes: Uint8Array, fileName: string): JsonObject {
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

function readFloats(bytes: Uint8Array, entry: TensorEntry, subject: string): Float32Array {
  const { dtype, start, end } = entry;
  switch (dtype) {
    case "F32": {
      const offset = bytes.byteOffset + start;
      return offset % 4 === 0
        ? new Float32Array(bytes.buffer, offset, (end - start) / 4)
        : new Float32Array(copyBytes(bytes, entry));
    }
    case "F16":
      return decodeF16(readHalves(bytes, entry));
    case "BF16":
      return decodeBf16(readHalves(bytes, entry));
    default:
      throw new WeightsError(`${subject}: dtype ${dtype} is not supported, expected ${FLOAT_DTYPES.join(", ")}`);
  }
}

function readHalves(bytes: Uint8Array, entry: TensorEntry): Uint16Array {
  const { start, end } = entry;
  const offset = bytes.byteOffset + start;
  return offset % 2 === 0
    ? new Uint16Array(bytes.buffer, offset, (end - start) / 2)
    : new Uint16Array(copyBytes(bytes, entry));
}

/** Not `slice`, which on a Buffer of Node shares memory instead of copying it. */
function copyBytes(bytes: Uint8Array, { start, end }: TensorEntry): ArrayBuffer {
  return new Uint8Array(bytes.subarray(start, end)).buffer;
}

function checkTensor(name: string, { shape, data }: Tensor): void {
  if (name === METADATA_KEY) throw new RangeError(`formatSafetensors: ${METADATA_KEY} cannot be a tensor's name`);
  if (countValues(shape) !== data.length)
    throw new RangeError(
      `formatSafetensors: ${name}: shape [${shape.join(", ")}] holds ${String(countValues(shape))} values, ` +
        `got ${String(data.length)}`,
    );
}

function encodeFloats(values: Float32Array, dtype: FloatDtype): Uint8Array {
  const stored = dtype === "F32" ? values : dtype === "F16" ? encodeF16(values) : encodeBf16(values);
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

function formatMetadata(metadata: Readonly<Record<string, string>>): string {
  const keys = Object.keys(metadata).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(metadata[key])}`).join(",")}}`;
}

function joinFile(header: string, chunks: readonly Uint8Array[], dataBytes: number): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(header);
  const padded = Math.ceil(text.byteLength / 8) * 8;
  const file = new Uint8Array(LENGTH_BYTES + padded + dataBytes);
  const view = new DataView(file.buffer);
  view.setUint32(0, padded, true);
  file.fill(0x20, LENGTH_BYTES, LENGTH_BYTES + padded);
  file.set(text, LENGTH_BYTES);
  let offset = LENGTH_BYTES + padded;
  for (const chunk of chunks) {
    file.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return file;
}

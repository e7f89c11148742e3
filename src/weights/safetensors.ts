/**
 * Tensors of a safetensors file, read and written; `safetensors-header.ts` describes the format. Values are read as f32
 * only, which is all a model here needs. The host is taken to be little-endian, as every host of WebAssembly is.
 */
import { WeightsError } from "../base/errors.ts";
import { decodeBf16, decodeF16, encodeBf16, encodeF16 } from "../base/float16.ts";
import {
  countValues,
  findEntry,
  LENGTH_BYTES,
  METADATA_KEY,
  parseHeader,
  readHeaderLength,
  type TensorEntry,
  type TensorHeader,
} from "./safetensors-header.ts";

/** Element types that can be read into f32 and written. */
const FLOAT_DTYPES = ["F32", "F16", "BF16"] as const;
/** One of `FLOAT_DTYPES`. */
type FloatDtype = (typeof FLOAT_DTYPES)[number];

/** A tensor in host memory: `data` holds the product of `shape` values, last axis fastest. */
export type Tensor = { readonly shape: readonly number[]; readonly data: Float32Array };

/** A parsed safetensors file. */
export type TensorFile = TensorHeader & {
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

/**
 * Parses a safetensors file; `fileName` is what messages call it.
 * @throws {WeightsError} If the file is truncated or its header is damaged; the message names file and tensor.
 */
export function parseSafetensors(bytes: Uint8Array, fileName = "safetensors file"): TensorFile {
  const source = { fileName, fileBytes: bytes.byteLength };
  const dataStart = LENGTH_BYTES + readHeaderLength(bytes, source);
  const header = parseHeader(bytes.subarray(LENGTH_BYTES, dataStart), source);
  return {
    ...header,
    read: (name) => {
      const entry = findEntry(header, name);
      return decodeTensor(bytes.subarray(entry.start, entry.end), entry, `${fileName}: ${name}`);
    },
  };
}

/**
 * The tensor that `entry` describes, from exactly its `bytes`; aligned F32 bytes are not copied. Messages start with `subject`.
 * @throws {WeightsError} If the element type is not one of `FLOAT_DTYPES`.
 */
export function decodeTensor(bytes: Uint8Array, { dtype, shape }: TensorEntry, subject: string): Tensor {
  switch (dtype) {
    case "F32":
      return { shape, data: new Float32Array(...alignBytes(bytes, Float32Array.BYTES_PER_ELEMENT)) };
    case "F16":
      return { shape, data: decodeF16(new Uint16Array(...alignBytes(bytes, Uint16Array.BYTES_PER_ELEMENT))) };
    case "BF16":
      return { shape, data: decodeBf16(new Uint16Array(...alignBytes(bytes, Uint16Array.BYTES_PER_ELEMENT))) };
    default:
      throw new WeightsError(`${subject}: dtype ${dtype} is not supported, expected ${FLOAT_DTYPES.join(", ")}`);
  }
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

/** Buffer, offset and length of a typed array over `bytes`, which are copied only where they are not aligned. */
function alignBytes(bytes: Uint8Array, size: number): [ArrayBufferLike, number, number] {
  const length = bytes.byteLength / size;
  if (bytes.byteOffset % size === 0) return [bytes.buffer, bytes.byteOffset, length];
  // Not `slice`, which on a Buffer of Node shares memory instead of copying it.
  return [new Uint8Array(bytes).buffer, 0, length];
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

/**
 * Zstandard (RFC 8878) as a stream, frame by frame. The library decompresses but looks at no checksum, so a flipped bit could
 * pass for another text; here each frame that carries a checksum is held against it.
 */
import { Decompress } from "fzstd";
import openXxhash, { type XXHash, type XXHashAPI } from "xxhash-wasm";
import { concat, type ByteReader } from "./byte-reader.ts";

const MAGIC = 0xfd2fb528;
/** The first of sixteen numbers that begin a frame to be passed over. */
const SKIPPABLE = 0x184d2a50;
/** Most bytes that a block holds, packed or not. */
const LARGEST_BLOCK = 1 << 17;

/**
 * The decompressed bytes that `reader` gives, in pieces of their own memory; whoever made it closes it.
 * @throws {RangeError} If they are cut short, hold something else, or are not what their checksum says.
 */
export async function* unzstd(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const xxhash = await openXxhash();
  while ((await reader.peek(1)).length > 0) {
    const magic = readWord(await reader.peek(4));
    if (magic === MAGIC) yield* readFrame(reader, xxhash);
    else if ((magic & ~0xf) >>> 0 === SKIPPABLE) await reader.skip(readWord((await reader.take(8)).subarray(4)));
    else throw new RangeError("after a whole part come bytes of another kind");
  }
}

async function* readFrame(reader: ByteReader, xxhash: XXHashAPI): AsyncGenerator<Uint8Array> {
  const start = await reader.take(5);
  const flags = start[4] ?? 0;
  const rest = await reader.take(sizeOfRest(flags));
  const hash: XXHash<bigint> | undefined = (flags & 4) === 0 ? undefined : xxhash.create64();
  const ready: Uint8Array[] = [];
  let length = 0;
  // The library reuses its window, so what it hands out is copied.
  const stream = new Decompress((piece) => {
    hash?.update(piece);
    length += piece.length;
    ready.push(piece.slice());
  });
  stream.push(concat([start, rest]), false);
  for (let isLast = false; !isLast;) {
    const head = await reader.take(3);
    const word = (head[0] ?? 0) | ((head[1] ?? 0) << 8) | ((head[2] ?? 0) << 16);
    const [kind, size] = [(word >> 1) & 3, word >> 3];
    if (kind === 3 || size > LARGEST_BLOCK) throw new RangeError("a block that cannot be");
    isLast = (word & 1) === 1;
    // A block of kind 1 is one byte, repeated.
    stream.push(concat([head, await reader.take(kind === 1 ? 1 : size)]), false);
    yield* ready.splice(0);
  }
  const checksum = await reader.take(hash ? 4 : 0);
  stream.push(checksum, true);
  yield* ready.splice(0);
  if (length !== (readContentSize(flags, rest) ?? length))
    throw new RangeError("its content is not as long as it says");
  if (hash && Number(hash.digest() & 0xffff_ffffn) !== readWord(checksum))
    throw new RangeError("its content is not what its checksum says");
}

/** Bytes of a frame's header after its flags: window, dictionary and size of the content. */
function sizeOfRest(flags: number): number {
  const isSingle = (flags >> 5) & 1;
  return 1 - isSingle + ((flags & 3) === 3 ? 4 : flags & 3) + bytesOfSize(flags);
}

function bytesOfSize(flags: number): number {
  return flags >> 6 === 0 ? (flags >> 5) & 1 : 1 << (flags >> 6);
}

/** The size of the content, the last field of the header; undefined where it is not told. */
function readContentSize(flags: number, rest: Uint8Array): number | undefined {
  const bytes = rest.subarray(rest.length - bytesOfSize(flags));
  if (bytes.length === 0) return undefined;
  const size = readWord(bytes) + 2 ** 32 * readWord(bytes.subarray(4));
  // Two bytes count from 256 on.
  return bytes.length === 2 ? size + 256 : size;
}

/** A word of four bytes, the lowest first; what is missing counts as 0. */
function readWord([a = 0, b = 0, c = 0, d = 0]: Uint8Array): number {
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

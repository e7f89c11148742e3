/** Bytes of a data file, decompressed as they come: plain, gzip (RFC 1952) or Zstandard (RFC 8878), told apart by content. */
import { describeError, LabError, TaskError } from "../../src/base/errors.ts";
import type { DataFile } from "../../src/rollout/domain.ts";
import { ByteReader, concat } from "./byte-reader.ts";
import { unzstd } from "./zstd.ts";

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/**
 * The decompressed bytes of `file`, in chunks.
 * @throws {TaskError} If the file is empty, cut short or damaged.
 */
export async function* decompressed(file: DataFile): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(file.chunks());
  try {
    const head = await reader.peek(ZSTD.length);
    if (head.length === 0) throw new TaskError(`${file.name}: the file is empty`);
    if (startsWith(head, GZIP)) yield* gunzip(file.name, reader.rest());
    else if (startsWith(head, ZSTD)) yield* unpackZstd(file.name, reader);
    else yield* reader.rest();
  } finally {
    await reader.close();
  }
}

/** All bytes of `file`, decompressed, for formats that cannot be read as a stream. */
export async function readWhole(file: DataFile): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of decompressed(file)) parts.push(chunk);
  return concat(parts);
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

async function* gunzip(name: string, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      // The result's type has other names in a browser's library and in Node's.
      const { value } = (await reader.read()) as { readonly value?: Uint8Array };
      if (value === undefined) return;
      yield value;
    }
  } catch (error) {
    throw error instanceof LabError ? error : damaged(name, "gzip", error);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* unpackZstd(name: string, reader: ByteReader): AsyncGenerator<Uint8Array> {
  try {
    yield* unzstd(reader);
  } catch (error) {
    throw error instanceof LabError ? error : damaged(name, "Zstandard", error);
  }
}

function damaged(name: string, format: string, error: unknown): TaskError {
  return new TaskError(`${name}: damaged ${format}, ${describeError(error)}; fetch the file again`, { cause: error });
}

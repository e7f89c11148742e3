/** Gzip (RFC 1952) through the streams that browsers and Node share; nothing of a clock enters the bytes. */

/** `lines`, each ended by a line feed, as one gzip member; they are asked for one by one, so that few are in memory. */
export async function gzipLines(lines: Iterable<string>): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.iterator]();
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const next = iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(`${next.value}\n`));
    },
  });
  return new Uint8Array(await new Response(source.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

/**
 * The lines of the gzip file `bytes`, as they are decompressed.
 * @throws {TypeError} If the bytes are not gzip, or are cut short.
 */
export async function* gunzipLines(bytes: Uint8Array): AsyncGenerator<string> {
  const source = new Blob([new Uint8Array(bytes)]).stream();
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      // The result's type has other names in a browser's library and in Node's.
      const { value } = (await reader.read()) as { readonly value?: Uint8Array };
      rest += value === undefined ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (value === undefined) break;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

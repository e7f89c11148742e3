/** What every `BlobStore` must do, as tests that each implementation runs. */
import { expect, test } from "vitest";
import type { BlobStore } from "../../src/store/blob-store.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function text(store: BlobStore, path: string): Promise<string | undefined> {
  const content = await store.read(path);
  return content && new TextDecoder().decode(content);
}

/** Defines the tests; `create` gives a new, empty store each time. */
export function testBlobStore(create: () => BlobStore): void {
  test("read gives undefined and list nothing when there is nothing", async () => {
    const store = create();
    expect(await store.read("a/b")).toBeUndefined();
    expect(await store.list("")).toEqual([]);
    expect(await store.list("a")).toEqual([]);
    await store.remove("a");
  });

  test("write replaces the whole file when there is one", async () => {
    const store = create();
    await store.write("a/b/c.txt", bytes("long content"));
    await store.write("a/b/c.txt", bytes("short"));
    expect(await text(store, "a/b/c.txt")).toBe("short");
  });

  test("read gives nothing, the old file or the new one when the file is being replaced", async () => {
    const store = create();
    const versions = ["1".repeat(10), "2".repeat(20_000), "3".repeat(3000)];
    const allowed = new Set<string | undefined>([undefined, ...versions]);
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      for (const version of versions) {
        const written = store.write(`m/${name}`, bytes(version));
        const seen = await Promise.all(Array.from({ length: 6 }, () => text(store, `m/${name}`)));
        for (const content of seen) expect(allowed).toContain(content);
        await written;
        expect(await text(store, `m/${name}`)).toBe(version);
      }
    }
  });

  test("append adds to a file, or makes it when there is none", async () => {
    const store = create();
    await store.append("l/e.jsonl", bytes("1\n"));
    await store.append("l/e.jsonl", bytes("2\n"));
    expect(await text(store, "l/e.jsonl")).toBe("1\n2\n");
  });

  test("truncate cuts the file when it is longer", async () => {
    const store = create();
    await store.write("e", bytes("12345"));
    await store.truncate("e", 2);
    expect(await text(store, "e")).toBe("12");
    await store.append("e", bytes("x"));
    expect(await text(store, "e")).toBe("12x");
  });

  test("list gives the paths of all files under a folder, sorted", async () => {
    const store = create();
    for (const path of ["b/2", "b/1/z", "a", "bb/3"]) await store.write(path, bytes("."));
    expect(await store.list("")).toEqual(["a", "b/1/z", "b/2", "bb/3"]);
    expect(await store.list("b")).toEqual(["b/1/z", "b/2"]);
  });

  test("remove takes a file or a whole folder, and leaves its neighbours", async () => {
    const store = create();
    for (const path of ["b/2", "b/1/z", "a", "bb/3"]) await store.write(path, bytes("."));
    await store.remove("b");
    await store.remove("a");
    expect(await store.list("")).toEqual(["bb/3"]);
  });

  test("bytes are copied in and out when they are written and read", async () => {
    const store = create();
    const content = bytes("abc");
    await store.write("f", content);
    content[0] = 0;
    const read = await store.read("f");
    read!.slice()[1] = 0;
    read![2] = 0;
    expect(await text(store, "f")).toBe("abc");
  });
}

/** The contract of `BlobStore` on the origin-private file system of a real Chromium, and what only a browser can do to it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { StoreError } from "../../../src/base/errors.ts";
import type { BlobStore } from "../../../src/store/blob-store.ts";
import { testBlobStore } from "../../support/blob-store-contract.ts";
import { launchProfile, openLabPage } from "../../support/lab-page.ts";
import { servePage, type PageServer } from "../../support/page-server.ts";

let server: PageServer;
let context: BrowserContext;
let profile = "";
let page: Page;
let roots = 0;

beforeAll(async () => {
  server = await servePage(inject("pageFolder"), { isolated: true });
  profile = await mkdtemp(join(tmpdir(), "spyhop-profile-"));
  // A profile on disk: a private window holds files in memory and lets access handles pass its quota.
  context = await launchProfile(profile);
  ({ page } = await openLabPage(context, server.url));
});

afterAll(async () => {
  await context.close();
  await server[Symbol.asyncDispose]();
  await rm(profile, { recursive: true, force: true });
});

type Reply = { readonly value?: unknown; readonly error?: { readonly name: string; readonly message: string } };

/** A store whose methods run in a worker of the page; bytes cross as arrays of numbers. */
function remoteStore(root: string): BlobStore {
  const call = async (method: string, path: string, more?: Uint8Array | number): Promise<unknown> => {
    const given = typeof more === "object" ? bytesInPage(more) : JSON.stringify(more ?? null);
    const reply = await page.evaluate<Reply>(
      `callStore({ root: ${JSON.stringify(root)}, method: ${JSON.stringify(method)}, args: [${JSON.stringify(path)}, ${given}] })
        .then(({ value, error }) => ({ error, value: value instanceof Uint8Array ? [...value] : value }))`,
    );
    if (reply.error?.name === "RangeError") throw new RangeError(reply.error.message);
    if (reply.error) throw new StoreError(reply.error.message);
    return reply.value;
  };
  return {
    read: async (path) => {
      const bytes = (await call("read", path)) as number[] | undefined;
      return bytes && Uint8Array.from(bytes);
    },
    write: async (path, bytes) => {
      await call("write", path, bytes);
    },
    append: async (path, bytes) => {
      await call("append", path, bytes);
    },
    truncate: async (path, length) => {
      await call("truncate", path, length);
    },
    list: async (folder) => (await call("list", folder)) as string[],
    remove: async (path) => {
      await call("remove", path);
    },
  };
}

/** Source text of `bytes`, short where all are equal. */
function bytesInPage(bytes: Uint8Array): string {
  const [first = 0] = bytes;
  return bytes.every((byte) => byte === first)
    ? `new Uint8Array(${String(bytes.length)}).fill(${String(first)})`
    : `new Uint8Array([${bytes.join()}])`;
}

function newStore(): BlobStore {
  roots += 1;
  return remoteStore(`stores/${String(roots)}`);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("createOpfsBlobStore", () => {
  testBlobStore(newStore);

  test.each(["../x", "a/../../x", "/etc/x", "a\\..\\x", "x.crswap"])(
    "write throws RangeError when the path leaves the folder: %s",
    async (path) => {
      await expect(newStore().write(path, bytes("."))).rejects.toThrow(RangeError);
    },
  );

  test("append throws and writes nothing when the browser has evicted what was written before", async () => {
    const store = newStore();
    await store.append("e.jsonl", bytes("1\n"));
    const session = await page.context().newCDPSession(page);
    const { origin } = new URL(server.url);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "file_systems" });
    await expect(store.append("e.jsonl", bytes("2\n"))).rejects.toThrow(
      /removed this run's files; import an exported copy/,
    );
    expect(await store.read("e.jsonl")).not.toEqual(bytes("2\n"));
  });

  test("write throws with one clear line and keeps the old file when the storage is full", async () => {
    const store = newStore();
    await store.write("a", bytes("old"));
    const session = await page.context().newCDPSession(page);
    const { origin } = new URL(server.url);
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 4096 });
    try {
      // Chromium grants an access handle some space in advance, so that little may still fit.
      const large = new Uint8Array(20_000_000);
      // The browser has more than one word for it, by chance.
      for (let i = 0; i < 12; i += 1)
        await expect(store.write("a", large)).rejects.toThrow(/storage is full; delete or export a run, then go on/);
      expect(await store.read("a")).toEqual(bytes("old"));
      await expect(store.append("b", large)).rejects.toThrow(/storage is full/);
    } finally {
      await session.send("Storage.overrideQuotaForOrigin", { origin });
    }
    await store.write("a", bytes("new"));
    expect(await store.read("a")).toEqual(bytes("new"));
  });
});

/** A run folder as a zip and back: `NAME/config.json` and so on, as it is in Node. */
import { unzipSync, zipSync, type Zippable } from "fflate";
import { readRun, createMemoryStore, type BlobStore } from "../../src/index.ts";
import { LabProblem, toProblem } from "./problems.ts";

/** Equal runs give equal zips: the format's first date stands for all. */
const MTIME = "1980-01-01T12:00:00";
/** Bytes that one import may unpack to. */
const MOST_BYTES = 2 ** 30;
/** Packed already, or not worth the time. */
const STORED = /\.(gz|safetensors)$/;

/** The files of `folder` under `name/`. */
export async function zipRun(folder: BlobStore, name: string): Promise<Uint8Array> {
  const files: Zippable = {};
  for (const path of await folder.list("")) {
    const bytes = await folder.read(path);
    if (bytes) files[`${name}/${path}`] = [bytes, { level: STORED.test(path) ? 0 : 6, mtime: MTIME }];
  }
  return zipSync(files);
}

/** The files of a run by their paths in its folder, and the name that its folder had; empty where there was none. */
export type UnpackedRun = { readonly name: string; readonly files: ReadonlyMap<string, Uint8Array> };

/**
 * Unpacks the zip of a run and reads it once, so that nothing damaged is taken in.
 * @throws {LabProblem} If it is no zip, no run, or too large.
 */
export async function unzipRun(bytes: Uint8Array): Promise<UnpackedRun> {
  const entries = unpack(bytes);
  const configs = Object.keys(entries).filter(
    (path) => /(^|\/)config\.json$/.test(path) && path.split("/").length <= 2,
  );
  const [config] = configs;
  if (config === undefined) throw refused("This zip holds no run: there is no config.json in it");
  if (configs.length > 1) throw refused("This zip holds several runs");
  const prefix = config.slice(0, -"config.json".length);
  const files = new Map<string, Uint8Array>();
  for (const [path, content] of Object.entries(entries)) {
    if (path.endsWith("/") || !path.startsWith(prefix)) continue;
    const inside = path.slice(prefix.length);
    if (inside.split("/").some((part) => part === ".." || part === "") || inside.includes("\\"))
      throw refused(`This zip holds a path that leaves its folder: ${path}`);
    files.set(inside, content);
  }
  try {
    await readRun(createMemoryStore(new Map(files)), "the zip");
  } catch (error) {
    throw refused(toProblem(error).what.replace(/\.$/, ""));
  }
  return { name: prefix.replace(/\/$/, ""), files };
}

function unpack(bytes: Uint8Array): Record<string, Uint8Array> {
  let total = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        total += originalSize;
        return total <= MOST_BYTES;
      },
    });
  } catch {
    throw refused("This file is not a zip");
  }
  if (total > MOST_BYTES) throw refused("This zip is larger than 1 GiB");
  return entries;
}

function refused(what: string): LabProblem {
  return new LabProblem({
    kind: "damaged",
    what: `${what}.`,
    safe: "Nothing was taken in.",
    next: "Choose a zip that this page exported, or zip the folder of a run made in Node.",
  });
}

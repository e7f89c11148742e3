/**
 * A Hugging Face checkpoint folder: `config.json` and safetensors weights, in one file or in shards that
 * `model.safetensors.index.json` lists. Names and values are handed on as they are; what they mean is the model's affair.
 * Opening reads and checks every header; data are read a tensor at a time.
 */
import { WeightsError } from "../base/errors.ts";
import { hashContent, hashJson } from "../base/hash.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { openFile, type FileReader, type FolderReader } from "./folder.ts";
import { findEntry, LENGTH_BYTES, parseHeader, readHeaderLength, type TensorHeader } from "./safetensors-header.ts";
import { decodeTensor, type Tensor } from "./safetensors.ts";

const CONFIG_FILE = "config.json";
const WEIGHTS_FILE = "model.safetensors";
const INDEX_FILE = "model.safetensors.index.json";

/** An open checkpoint. */
export type Checkpoint = {
  /** What messages call it: the folder's name. */
  readonly name: string;
  readonly config: JsonObject;
  /** Names of all tensors, sorted. */
  readonly names: readonly string[];
  readonly has: (name: string) => boolean;
  /**
   * The tensor `name` as f32; it may share memory with the file: do not change it.
   * @throws {WeightsError} If it is missing, cannot be read, or its element type is not supported.
   */
  readonly tensor: (name: string) => Promise<Tensor>;
  /** SHA-256 over config and stored tensors, whichever files hold them. Reads all data: 64 hex digits. */
  readonly hash: () => Promise<string>;
};

/** A weights file that is open for reading. */
type Shard = { readonly header: TensorHeader; readonly file: FileReader };

/**
 * Opens the checkpoint in `folder`.
 * @throws {WeightsError} If a file is missing or damaged, or a tensor is not where the index says; the message names it.
 */
export async function openCheckpoint(folder: FolderReader): Promise<Checkpoint> {
  const config = await readJsonFile(folder, CONFIG_FILE);
  const shards = await openShards(folder);
  const shardOf = (name: string): Shard => {
    const shard = shards.get(name);
    if (!shard) throw new WeightsError(`${folder.name}: no tensor ${name}; it holds ${String(shards.size)} others`);
    return shard;
  };
  const names = [...shards.keys()].sort();
  return {
    name: folder.name,
    config,
    names,
    has: (name) => shards.has(name),
    tensor: async (name) => {
      const { header, file } = shardOf(name);
      const subject = `${header.fileName}: ${name}`;
      return decodeTensor(await readBytes({ header, file }, name), findEntry(header, name), subject);
    },
    hash: async () => {
      const tensors: Record<string, JsonObject> = {};
      for (const name of names) {
        const { dtype, shape } = findEntry(shardOf(name).header, name);
        tensors[name] = { dtype, shape, sha256: hashContent(await readBytes(shardOf(name), name)) };
      }
      return hashJson({ config, tensors });
    },
  };
}

/**
 * The JSON object in the file `path` of `folder`.
 * @throws {WeightsError} If the file is missing or is not a JSON object.
 */
export async function readJsonFile(folder: FolderReader, path: string): Promise<JsonObject> {
  const bytes = await folder.read(path);
  if (!bytes) throw new WeightsError(`${folder.name}: no ${path}; give the folder that holds it`);
  return parseJson(bytes, `${folder.name}/${path}`);
}

function parseJson(bytes: Uint8Array, fileName: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch (cause) {
    throw new WeightsError(`${fileName}: damaged, not JSON; fetch the file again`, { cause });
  }
  if (!isJsonObject(value)) throw new WeightsError(`${fileName}: expected a JSON object`);
  return value;
}

/** The shard of each tensor, by tensor name. */
async function openShards(folder: FolderReader): Promise<ReadonlyMap<string, Shard>> {
  const single = await openShard(folder, WEIGHTS_FILE);
  if (single) return new Map(single.header.names.map((name) => [name, single]));
  const index = await folder.read(INDEX_FILE);
  if (!index)
    throw new WeightsError(
      `${folder.name}: expected ${WEIGHTS_FILE} or ${INDEX_FILE}, found neither; ` +
        "give a Hugging Face checkpoint folder with safetensors weights",
    );
  const shardNames = parseWeightMap(parseJson(index, `${folder.name}/${INDEX_FILE}`), `${folder.name}/${INDEX_FILE}`);
  const files = new Map<string, Shard>();
  const shards = new Map<string, Shard>();
  for (const [name, path] of shardNames) {
    const shard = files.get(path) ?? (await openShard(folder, path));
    if (!shard) throw new WeightsError(`${folder.name}: no ${path}, a shard that ${INDEX_FILE} lists; fetch it`);
    findEntry(shard.header, name);
    files.set(path, shard);
    shards.set(name, shard);
  }
  return shards;
}

function parseWeightMap(index: JsonObject, fileName: string): ReadonlyMap<string, string> {
  const value = index["weight_map"];
  if (!isJsonObject(value)) throw new WeightsError(`${fileName}: expected an object weight_map`);
  const map = new Map<string, string>();
  for (const [name, shard] of Object.entries(value)) {
    if (typeof shard !== "string") throw new WeightsError(`${fileName}: ${name}: its shard must be a file name`);
    map.set(name, shard);
  }
  return map;
}

async function openShard(folder: FolderReader, path: string): Promise<Shard | undefined> {
  const file = await openFile(folder, path);
  if (!file) return undefined;
  const source = { fileName: `${folder.name}/${path}`, fileBytes: file.size };
  const length = readHeaderLength(await file.read(0, Math.min(LENGTH_BYTES, file.size)), source);
  return { file, header: parseHeader(await file.read(LENGTH_BYTES, LENGTH_BYTES + length), source) };
}

async function readBytes({ header, file }: Shard, name: string): Promise<Uint8Array> {
  const { start, end } = findEntry(header, name);
  const bytes = await file.read(start, end);
  if (bytes.byteLength !== end - start)
    throw new WeightsError(`${header.fileName}: ${name}: the file became shorter while it was open; open it again`);
  return bytes;
}

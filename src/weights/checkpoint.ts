/**
 * A Hugging Face checkpoint folder: `config.json` and safetensors weights, in one file or in shards that
 * `model.safetensors.index.json` lists. Names and values are handed on as they are; what they mean is the model's affair.
 */
import { WeightsError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { FolderReader } from "./folder.ts";
import { parseSafetensors, type Tensor, type TensorFile } from "./safetensors.ts";

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
   * @throws {WeightsError} If it is missing, or its element type or shard cannot be read.
   */
  readonly tensor: (name: string) => Promise<Tensor>;
};

/**
 * Opens the checkpoint in `folder`. A single weights file is read and checked at once, shards when first needed.
 * @throws {WeightsError} If a file is missing or damaged; the message names it.
 */
export async function openCheckpoint(folder: FolderReader): Promise<Checkpoint> {
  const config = await readJsonFile(folder, CONFIG_FILE);
  const weights = await folder.read(WEIGHTS_FILE);
  if (weights) return openSingle(folder.name, config, parseSafetensors(weights, `${folder.name}/${WEIGHTS_FILE}`));
  const index = await folder.read(INDEX_FILE);
  if (!index)
    throw new WeightsError(
      `${folder.name}: expected ${WEIGHTS_FILE} or ${INDEX_FILE}, found neither; ` +
        "give a Hugging Face checkpoint folder with safetensors weights",
    );
  return openSharded(folder, config, parseJson(index, `${folder.name}/${INDEX_FILE}`));
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

function openSingle(name: string, config: JsonObject, file: TensorFile): Checkpoint {
  return {
    name,
    config,
    names: file.names,
    has: (tensor) => file.entries.has(tensor),
    tensor: (tensor) => Promise.resolve().then(() => file.read(tensor)),
  };
}

function openSharded(folder: FolderReader, config: JsonObject, index: JsonObject): Checkpoint {
  const shardOf = parseWeightMap(index["weight_map"], `${folder.name}/${INDEX_FILE}`);
  const shards = new Map<string, Promise<TensorFile>>();
  const openShard = (shard: string): Promise<TensorFile> => {
    const open = shards.get(shard) ?? readShard(folder, shard);
    shards.set(shard, open);
    return open;
  };
  return {
    name: folder.name,
    config,
    names: [...shardOf.keys()].sort(),
    has: (name) => shardOf.has(name),
    tensor: async (name) => {
      const shard = shardOf.get(name);
      if (shard === undefined)
        throw new WeightsError(`${folder.name}: no tensor ${name}, ${INDEX_FILE} does not list it`);
      return (await openShard(shard)).read(name);
    },
  };
}

function parseWeightMap(value: JsonValue | undefined, fileName: string): ReadonlyMap<string, string> {
  if (!isJsonObject(value)) throw new WeightsError(`${fileName}: expected an object weight_map`);
  const map = new Map<string, string>();
  for (const [name, shard] of Object.entries(value)) {
    if (typeof shard !== "string") throw new WeightsError(`${fileName}: ${name}: its shard must be a file name`);
    map.set(name, shard);
  }
  return map;
}

async function readShard(folder: FolderReader, shard: string): Promise<TensorFile> {
  const bytes = await folder.read(shard);
  if (!bytes) throw new WeightsError(`${folder.name}: no ${shard}, a shard that ${INDEX_FILE} lists; fetch it`);
  return parseSafetensors(bytes, `${folder.name}/${shard}`);
}

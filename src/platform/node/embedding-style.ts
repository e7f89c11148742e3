/**
 * How a sentence-embedding model wants to be used: which token's vector stands for a text, and what goes in front of texts. It is
 * read from the files that sentence-transformers keeps beside a model (`1_Pooling/config.json`,
 * `config_sentence_transformers.json`, sbert.net), and settings may say otherwise.
 */
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { errorCode } from "./file-errors.ts";

/** What makes one vector of those of the tokens: their mean, the first one, or the last one. */
export type Pooling = "mean" | "cls" | "last";

/** How texts become vectors. */
export type EmbeddingStyle = {
  readonly pooling: Pooling;
  readonly prefixes: Readonly<Record<"query" | "passage", string>>;
};

/** Settings that go before what the model's folder says. */
export type StyleSettings = {
  /** Empty takes what the folder says, else the mean. */
  readonly pooling: string;
  /** What goes in front of a query; empty takes what the folder says, `none` is nothing. */
  readonly queryPrefix: string;
};

const POOLINGS: readonly Pooling[] = ["mean", "cls", "last"];

const POOLING_FILE = "1_Pooling/config.json";
const PROMPTS_FILE = "config_sentence_transformers.json";

/** Names of `pooling_mode` and of the older switches `pooling_mode_...`. */
const MODES: Readonly<Record<string, Pooling>> = {
  mean: "mean",
  mean_tokens: "mean",
  cls: "cls",
  cls_token: "cls",
  lasttoken: "last",
};

/** Models of the E5 family were trained with the role in front of each text (Wang et al., arXiv:2212.03533). */
const E5 = /(?:^|[^a-z0-9])e5(?:[^a-z0-9]|$)/i;

/** Names that prompts for passages have. */
const PASSAGE_PROMPTS = ["passage", "document", "corpus"];

/**
 * The style of the model `name`, a folder or a name on the hub; of the latter only the name is looked at.
 * @throws {ConfigError} If a file of the folder is damaged, or asks for another pooling.
 */
export function readStyle(name: string, isFolder: boolean, settings: StyleSettings): EmbeddingStyle {
  const pooling = POOLINGS.find((known) => known === settings.pooling) ?? (isFolder ? readPooling(name) : "mean");
  const found = (isFolder ? readPrompts(name) : undefined) ?? promptsByName(name);
  const { queryPrefix } = settings;
  const query = queryPrefix === "" ? found.query : queryPrefix === "none" ? "" : queryPrefix;
  return { pooling, prefixes: { ...found, query } };
}

function readPooling(folder: string): Pooling {
  const config = readJson(folder, POOLING_FILE);
  if (!config) return "mean";
  const given = config["pooling_mode"];
  const names =
    typeof given === "string"
      ? [given]
      : Object.entries(config).flatMap(([key, value]) =>
          value === true && key.startsWith("pooling_mode_") ? [key.slice("pooling_mode_".length)] : [],
        );
  const [name = "mean", ...others] = names;
  const mode = MODES[name];
  if (mode !== undefined && others.length === 0) return mode;
  throw new ConfigError(
    `tasks.embedder: ${join(folder, POOLING_FILE)} asks for the pooling ${names.join(" and ")}, which is not one of ${POOLINGS.join(", ")}; --set tasks.pooling=mean, or give another model`,
  );
}

function readPrompts(folder: string): EmbeddingStyle["prefixes"] | undefined {
  const prompts = readJson(folder, PROMPTS_FILE)?.["prompts"];
  if (!isJsonObject(prompts)) return undefined;
  const text = (names: readonly string[]): string =>
    names.map((name) => prompts[name]).find((prompt) => typeof prompt === "string") ?? "";
  const found = { query: text(["query"]), passage: text(PASSAGE_PROMPTS) };
  // The library writes both names with empty texts where the model was trained with none, or where nobody filled them in.
  return found.query === "" && found.passage === "" ? undefined : found;
}

/** Only the last part of a path names a model. */
function promptsByName(name: string): EmbeddingStyle["prefixes"] {
  return E5.test(basename(resolve(name))) ? { query: "query: ", passage: "passage: " } : { query: "", passage: "" };
}

function readJson(folder: string, file: string): JsonObject | undefined {
  const path = join(folder, file);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch {
    // Said below, as of any other text that is no object.
  }
  throw new ConfigError(`tasks.embedder: ${path} is no JSON object; fetch the model again, or remove the file`);
}

/** What the files of sentence-transformers say of a model, and what settings make of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import { readStyle, type EmbeddingStyle } from "../../../src/platform/node/embedding-style.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "spyhop-style-"));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

type Files = { readonly pooling?: JsonObject; readonly prompts?: JsonObject };

/** A model folder called `name` with these files. */
function makeFolder(name: string, { pooling, prompts }: Files): string {
  const folder = join(root, name);
  mkdirSync(join(folder, "1_Pooling"), { recursive: true });
  if (pooling) writeFileSync(join(folder, "1_Pooling", "config.json"), JSON.stringify(pooling));
  if (prompts) writeFileSync(join(folder, "config_sentence_transformers.json"), JSON.stringify({ prompts }));
  return folder;
}

const styleOf = (folder: string, pooling = "", queryPrefix = ""): EmbeddingStyle =>
  readStyle(folder, true, { pooling, queryPrefix });

const old = (mode: string): JsonObject => ({
  word_embedding_dimension: 16,
  pooling_mode_cls_token: false,
  pooling_mode_mean_tokens: false,
  pooling_mode_lasttoken: false,
  [`pooling_mode_${mode}`]: true,
  include_prompt: true,
});
const NOTHING = { query: "", passage: "" };

describe("readStyle", () => {
  test.each([
    ["no files", {}, "mean", NOTHING],
    ["bge-small", { pooling: old("cls_token"), prompts: {} }, "cls", NOTHING],
    ["gte", { pooling: old("mean_tokens") }, "mean", NOTHING],
    [
      "qwen3-embedding",
      { pooling: old("lasttoken"), prompts: { query: "Instruct: find\nQuery:", document: "" } },
      "last",
      { query: "Instruct: find\nQuery:", passage: "" },
    ],
    ["new words", { pooling: { pooling_mode: "cls" } }, "cls", NOTHING],
    ["own passages", { prompts: { query: "q: ", passage: "p: " } }, "mean", { query: "q: ", passage: "p: " }],
    [
      "multilingual-e5-small",
      { prompts: { query: "", document: "" } },
      "mean",
      { query: "query: ", passage: "passage: " },
    ],
  ] as const)("reads what the folder of %s says", (...model) => {
    const [name, files, pooling, prefixes] = model;
    expect(styleOf(makeFolder(name, files))).toEqual({ pooling, prefixes });
  });

  test("takes a model for E5 by its own name and not by that of a folder around it", () => {
    expect(styleOf(makeFolder("e5/other", {})).prefixes).toEqual(NOTHING);
    expect(readStyle("intfloat/e5-small", false, { pooling: "", queryPrefix: "" }).prefixes.query).toBe("query: ");
    expect(readStyle("e5/gte", false, { pooling: "", queryPrefix: "" }).prefixes).toEqual(NOTHING);
  });

  test("lets settings go before the folder", () => {
    const folder = makeFolder("asked", { pooling: old("cls_token"), prompts: { query: "q: " } });
    expect(styleOf(folder, "last", "ask: ")).toEqual({ pooling: "last", prefixes: { query: "ask: ", passage: "" } });
    expect(styleOf(folder, "", "none").prefixes.query).toBe("");
  });

  test("refuses a pooling that there is not, until a setting says what to do", () => {
    const folder = makeFolder("max", { pooling: { ...old("max_tokens"), pooling_mode_cls_token: true } });
    expect(() => styleOf(folder)).toThrow(/asks for the pooling .*max_tokens.*--set tasks\.pooling=mean/);
    expect(styleOf(folder, "mean").pooling).toBe("mean");
  });

  test("refuses a damaged file with one line", () => {
    const folder = makeFolder("damaged", {});
    writeFileSync(join(folder, "1_Pooling", "config.json"), "{");
    expect(() => styleOf(folder)).toThrow(/^tasks\.embedder: \S+config\.json is no JSON object; fetch [^\n]*$/);
  });
});

/**
 * Read, Glob, Grep and Write over the archive as a folder of texts (whale-spec 2.5 without its shell). There is no disk
 * behind it: what `exportFolder` puts there is all that an agent can see, and the slots of the candidates asked for are
 * all that it can write.
 */
import type { JsonObject } from "../../../base/json.ts";
import type { TextFolder } from "../../folder.ts";
import type { ToolCall, ToolResult, ToolSpec } from "./conversation.ts";
import { fitsGlob, searchText } from "./patterns.ts";

/** What Write may write, by path, and what it says of a text that has been written. */
export type WritableFiles = {
  readonly paths: readonly string[];
  /** A remark on `text` at `path`, such as a syntax error. */
  readonly review: (path: string, text: string) => string;
};

/** An agent's files, read-only archive and own slots together. */
export type ArchiveTools = {
  readonly run: (call: ToolCall) => ToolResult;
  /** What has been written, by path. */
  readonly written: () => Readonly<Record<string, string>>;
};

/** Characters of one result of Read. */
const LONGEST_READ = 16_000;
/** Characters that Write takes. */
const LONGEST_WRITE = 65_536;
const MOST_PATHS = 300;
const MOST_MATCHES = 40;
const LONGEST_PATTERN = 200;
/** Characters shown on each side of a match. */
const AROUND_MATCH = 80;

const text = (description: string): JsonObject => ({ type: "string", description });
const integer = (description: string): JsonObject => ({ type: "integer", description });

/** The tools as a model is told of them. */
export const ARCHIVE_TOOLS: readonly ToolSpec[] = [
  {
    name: "Read",
    description:
      `Gives up to ${String(LONGEST_READ)} characters of a file, from a character offset on. Long files, such as ` +
      "traces, take several calls.",
    parameters: {
      path: text("Path of the file, such as harnesses/h0/harness.js"),
      offset: integer("First character, from 0 (default 0)"),
      limit: integer(`Most characters (default and most ${String(LONGEST_READ)})`),
    },
    required: ["path"],
  },
  {
    name: "Glob",
    description:
      "Lists the paths that fit a pattern, with their sizes in characters. * within a name, ** across folders.",
    parameters: { pattern: text("Such as harnesses/*/scores.json, or **") },
    required: ["pattern"],
  },
  {
    name: "Grep",
    description:
      "Finds text in files: the first match of each line, with its character offset (for Read) and what stands around " +
      "it. Plain text without regard to case, | between alternatives, .* for anything in between; no other operators.",
    parameters: {
      pattern: text("Text to find, such as no answer|wrong value"),
      files: text("Only in paths that fit this pattern (default **)"),
    },
    required: ["pattern"],
  },
  {
    name: "Write",
    description:
      "Writes a file of a candidate as a whole and says what is wrong with it. Other paths cannot be written.",
    parameters: { path: text("Such as proposals/1/harness.js"), content: text("The whole text of the file") },
    required: ["path", "content"],
  },
];

/** Tools over `folder`, with `written` already in the slots of `writable`. */
export function createArchiveTools(
  folder: TextFolder,
  writable: WritableFiles,
  written: Readonly<Record<string, string>> = {},
): ArchiveTools {
  const own = new Map(Object.entries(written));
  const files: Files = {
    writable,
    own,
    get: (path) => own.get(path) ?? folder.get(path),
    paths: () => [...new Set([...folder.keys(), ...own.keys()])].sort(),
  };
  return {
    run: (call) => {
      const outcome = call.problem === "" ? runTool(files, call) : failed(call.problem);
      return { id: call.id, text: outcome.text, isError: outcome.isError };
    },
    written: () => Object.fromEntries(own),
  };
}

type Files = {
  readonly writable: WritableFiles;
  readonly own: Map<string, string>;
  readonly get: (path: string) => string | undefined;
  readonly paths: () => readonly string[];
};

type Outcome = Omit<ToolResult, "id">;

const done = (result: string): Outcome => ({ text: result, isError: false });
const failed = (problem: string): Outcome => ({ text: problem, isError: true });

function runTool(files: Files, { name, input }: ToolCall): Outcome {
  switch (name) {
    case "Read":
      return read(files, input);
    case "Glob":
      return glob(files, input);
    case "Grep":
      return grep(files, input);
    case "Write":
      return write(files, input);
    default:
      return failed(`there is no tool ${JSON.stringify(name)}; there are Read, Glob, Grep and Write`);
  }
}

function read(files: Files, input: JsonObject): Outcome {
  const path = textOf(input, "path");
  const content = path === undefined ? undefined : files.get(normalise(path));
  if (path === undefined) return failed("Read needs path, a text");
  if (content === undefined) return failed(`there is no file ${JSON.stringify(path)}; Glob ** lists all`);
  const offset = countOf(input, "offset", 0);
  const limit = Math.min(LONGEST_READ, countOf(input, "limit", LONGEST_READ) || LONGEST_READ);
  const part = content.slice(offset, offset + limit);
  const end = offset + part.length;
  if (offset === 0 && end === content.length) return done(content || "[the file is empty]");
  return done(`${part}\n[characters ${String(offset)} to ${String(end)} of ${String(content.length)}]`);
}

function glob(files: Files, input: JsonObject): Outcome {
  const pattern = textOf(input, "pattern");
  if (pattern === undefined) return failed("Glob needs pattern, a text");
  if (pattern.length > LONGEST_PATTERN) return failed(`pattern: at most ${String(LONGEST_PATTERN)} characters`);
  const found = files.paths().filter((path) => fitsGlob(path, normalise(pattern)));
  const lines = found.slice(0, MOST_PATHS).map((path) => `${path}  ${String(files.get(path)?.length ?? 0)}`);
  if (found.length > MOST_PATHS) lines.push(`[${String(found.length - MOST_PATHS)} more]`);
  return done(lines.join("\n") || "no path fits");
}

function grep(files: Files, input: JsonObject): Outcome {
  const pattern = textOf(input, "pattern");
  if (pattern === undefined || pattern === "") return failed("Grep needs pattern, a text");
  const only = normalise(textOf(input, "files") ?? "**");
  if (Math.max(pattern.length, only.length) > LONGEST_PATTERN)
    return failed(`pattern and files: at most ${String(LONGEST_PATTERN)} characters each`);
  const lines: string[] = [];
  for (const path of files.paths().filter((one) => fitsGlob(one, only))) {
    const content = files.get(path) ?? "";
    for (const { start, end } of searchText(content, pattern, MOST_MATCHES + 1 - lines.length)) {
      const around = content.slice(Math.max(0, start - AROUND_MATCH), Math.min(content.length, end + AROUND_MATCH));
      const shown = around.slice(0, 4 * AROUND_MATCH).replaceAll("\n", " ");
      lines.push(`${path} at ${String(start)}: ${shown}`);
    }
    if (lines.length > MOST_MATCHES) break;
  }
  if (lines.length > MOST_MATCHES) lines.splice(MOST_MATCHES, lines.length, "[more; narrow pattern or files]");
  return done(lines.join("\n") || "no line fits; Grep takes plain text, | between alternatives and .* in between");
}

function write({ writable, own }: Files, input: JsonObject): Outcome {
  const path = textOf(input, "path");
  const content = textOf(input, "content");
  if (path === undefined || content === undefined) return failed("Write needs path and content, two texts");
  const target = normalise(path);
  if (!writable.paths.includes(target))
    return failed(`${JSON.stringify(path)} cannot be written; what can: ${writable.paths.join(", ")}`);
  if (content.length > LONGEST_WRITE) return failed(`content: at most ${String(LONGEST_WRITE)} characters`);
  own.set(target, content);
  const remark = writable.review(target, content);
  return remark === "" ? done("written") : done(`written, but it would be refused: ${remark}`);
}

function textOf(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" ? value : undefined;
}

function countOf(input: JsonObject, name: string, fallback: number): number {
  const value = input[name];
  return typeof value === "number" && value >= 0 ? Math.floor(value) : fallback;
}

/** Models write `./guide.md` and `/guide.md` too. */
function normalise(path: string): string {
  return path.trim().replace(/^(?:\.?\/)+/, "");
}

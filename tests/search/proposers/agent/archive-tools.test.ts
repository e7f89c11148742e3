import { describe, expect, it } from "vitest";
import { ARCHIVE_TOOLS, createArchiveTools } from "../../../../src/search/proposers/agent/archive-tools.ts";
import { fitsGlob, searchText } from "../../../../src/search/proposers/agent/patterns.ts";
import type { JsonObject } from "../../../../src/base/json.ts";

const LONG = `${"x".repeat(20_000)}END`;
const FOLDER = new Map([
  ["guide.md", "# Guide\nBe honest.\nBe brief."],
  ["harnesses/h0/harness.js", "export async function solve() {}"],
  ["harnesses/h1/traces/failed.jsonl", LONG],
]);

function open() {
  const writable = {
    paths: ["proposals/1/harness.js"],
    review: (_: string, content: string) => (content === "bad" ? "it is bad" : ""),
  };
  const tools = createArchiveTools(FOLDER, writable);
  const run = (name: string, input: JsonObject, problem = "") => tools.run({ id: "1", name, input, problem });
  return { tools, run };
}

describe("fitsGlob", () => {
  it.each([
    ["guide.md", "*", true],
    ["a/b.js", "*", false],
    ["a/b.js", "**", true],
    ["a/b.js", "a/*.js", true],
    ["a/b/c.js", "**/*.js", true],
    ["c.js", "**/*.js", true],
    ["a/x/y/b.js", "a/**/b.js", true],
    ["a/b.js", "?/b.??", true],
    ["a/b.js", "a/b", false],
  ])("%s against %s is %s", (path, pattern, fits) => {
    expect(fitsGlob(path, pattern)).toBe(fits);
  });

  it("ends soon when a pattern is made of wildcards", () => {
    expect(fitsGlob(`${"a".repeat(2000)}b`, `${"*a".repeat(90)}*c`)).toBe(false);
    expect(fitsGlob(`${"a/".repeat(500)}b`, `${"**/a/".repeat(40)}c`)).toBe(false);
  });
});

describe("searchText", () => {
  it("finds alternatives and gaps, once a line, without regard to case", () => {
    const text = "one Two\nthree four\nTWO one";
    expect(searchText(text, "two|four", 9).map(({ start }) => start)).toEqual([4, 14, 19]);
    expect(searchText(text, "one.*two", 9)).toEqual([{ start: 0, end: 7 }]);
    expect(searchText(text, "two", 1)).toHaveLength(1);
    expect(searchText(text, "|", 9)).toEqual([]);
  });
});

describe("createArchiveTools", () => {
  it("runs every tool that a model is told of", () => {
    const { run } = open();
    for (const { name } of ARCHIVE_TOOLS) expect(run(name, {}).text).toMatch(new RegExp(`^${name} needs`));
    expect(run("Bash", { command: "ls" }).text).toMatch(/no tool "Bash"/);
  });

  it("reads whole files, and long ones in parts", () => {
    const { run } = open();
    expect(run("Read", { path: "./guide.md" })).toEqual({ id: "1", text: FOLDER.get("guide.md"), isError: false });
    const path = "harnesses/h1/traces/failed.jsonl";
    expect(run("Read", { path }).text).toMatch(/\n\[characters 0 to 16000 of 20003\]$/);
    expect(run("Read", { path, offset: 19_998 }).text).toBe("xxEND\n[characters 19998 to 20003 of 20003]");
    expect(run("Read", { path: "guide.md", offset: 2, limit: 5 }).text).toMatch(/^Guide\n/);
    expect(run("Read", { path: "../../etc/passwd" })).toMatchObject({ isError: true });
  });

  it("lists and searches paths by pattern", () => {
    const { run } = open();
    expect(run("Glob", { pattern: "harnesses/*/harness.js" }).text).toBe("harnesses/h0/harness.js  32");
    expect(run("Glob", { pattern: "nothing/*" }).text).toBe("no path fits");
    expect(run("Grep", { pattern: "honest" }).text).toMatch(/^guide\.md at 11: # Guide Be honest\. Be brief\.$/);
    expect(run("Grep", { pattern: "solve", files: "guide.md" }).text).toMatch(/^no line fits/);
    expect(run("Grep", { pattern: "y".repeat(201) })).toMatchObject({ isError: true });
  });

  it("writes to slots alone, says what is wrong, and shows what it wrote", () => {
    const { run, tools } = open();
    expect(run("Write", { path: "harnesses/h0/harness.js", content: "mine" })).toMatchObject({ isError: true });
    expect(run("Write", { path: "proposals/1/harness.js", content: "bad" }).text).toMatch(
      /would be refused: it is bad/,
    );
    expect(run("Write", { path: "/proposals/1/harness.js", content: "good" }).text).toBe("written");
    expect(run("Read", { path: "proposals/1/harness.js" }).text).toBe("good");
    expect(tools.written()).toEqual({ "proposals/1/harness.js": "good" });
    expect(FOLDER.get("harnesses/h0/harness.js")).toMatch(/solve/);
  });

  it("hands a problem with the arguments back to the model", () => {
    expect(open().run("Read", {}, "the arguments are not a JSON object")).toMatchObject({ isError: true });
  });
});

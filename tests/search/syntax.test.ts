import { describe, expect, it } from "vitest";
import { HarnessError } from "../../src/base/errors.ts";
import { isPromptOnlyEdit, normaliseSource } from "../../src/search/syntax/compare.ts";
import {
  applyEdits,
  insertConstant,
  insertFunction,
  renameDeclaration,
  replaceFunction,
  setConstant,
} from "../../src/search/syntax/edit.ts";
import { parseHarness } from "../../src/search/syntax/harness-tree.ts";
import {
  findChats,
  findMessageLists,
  findPushes,
  findReturns,
  findTools,
  textOf,
} from "../../src/search/syntax/sites.ts";

const SOURCE = `// A harness.
export const USER_PROMPT = "Solve: " + "{question}"; // the user's text
const MAX_TURNS = 2;

/** Reads the code. */
export function parseCode(text) {
  const at = text.indexOf("<code>");
  return at < 0 ? undefined : text.slice(at + 6);
}

const parseAnswer = (text) => text;

// Plays one task.
export async function solve(task, env) {
  const messages = [{ role: "user", content: USER_PROMPT.replace("{question}", task.question) }];
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const reply = await env.chat(messages, { maxTokens: 50 });
    messages.push({ role: "assistant", content: reply.text });
    const code = parseCode(reply.text);
    if (code === undefined) return parseAnswer(reply.text);
    messages.push({ role: "user", content: \`Output: \${await env.tools.run(code)}\` });
  }
}
`;

describe("parseHarness", () => {
  it("finds constants, functions and exports", () => {
    const tree = parseHarness(SOURCE);
    expect([...tree.constants].map(([name, site]) => [name, site.value])).toEqual([
      ["USER_PROMPT", "Solve: {question}"],
      ["MAX_TURNS", 2],
    ]);
    expect([...tree.functions.keys()]).toEqual(["parseCode", "parseAnswer", "solve"]);
    expect(tree.functions.get("solve")).toMatchObject({ params: ["task", "env"], async: true });
    expect([...tree.exports]).toEqual(["USER_PROMPT", "parseCode", "solve"]);
  });

  it("throws a HarnessError when the source does not parse", () => {
    expect(() => parseHarness("export function (")).toThrow(HarnessError);
  });
});

describe("edits", () => {
  const tree = parseHarness(SOURCE);

  it("setConstant changes the literal and nothing else", () => {
    const edit = setConstant(tree, "USER_PROMPT", 'Say "{question}"\n')!;
    const edited = applyEdits(SOURCE, [edit, setConstant(tree, "MAX_TURNS", 3)!]);
    expect(edited).toBe(
      SOURCE.replace('"Solve: " + "{question}"', '"Say \\"{question}\\"\\n"').replace("TURNS = 2", "TURNS = 3"),
    );
    expect(setConstant(tree, "MAX_TURNS", "3")).toBeUndefined();
    expect(setConstant(tree, "MAX_TURNS", 2)).toBeUndefined();
    expect(setConstant(tree, "OTHER", 2)).toBeUndefined();
  });

  it("replaceFunction keeps export and comment", () => {
    const edited = applyEdits(SOURCE, [
      replaceFunction(tree, "parseCode", "export function parseCode(t) { return t; }")!,
    ]);
    expect(edited).toContain("/** Reads the code. */\nexport function parseCode(t) { return t; }\n\nconst parseAnswer");
    expect([...parseHarness(edited).exports]).toEqual([...tree.exports]);
  });

  it("replaceFunction replaces an arrow function", () => {
    const edited = applyEdits(SOURCE, [replaceFunction(tree, "parseAnswer", "function parseAnswer(t) { return 1; }")!]);
    expect(edited).toContain("\n\nfunction parseAnswer(t) { return 1; }\n\n// Plays");
  });

  it("insertFunction stands ahead of the comment of solve", () => {
    const edited = applyEdits(SOURCE, [insertFunction(tree, "function helper() { return 1; }")!]);
    expect(edited).toContain("(text) => text;\n\nfunction helper() { return 1; }\n\n// Plays one task.");
    expect(insertFunction(tree, "function parseCode() {}")).toBeUndefined();
  });

  it("insertConstant follows the last constant, or stands first when there is none", () => {
    expect(applyEdits(SOURCE, [insertConstant(tree, "LIMIT", 4)!])).toContain(
      "const MAX_TURNS = 2;\nconst LIMIT = 4;\n",
    );
    const bare = parseHarness("export async function solve() {}\n");
    expect(applyEdits(bare.source, [insertConstant(bare, "LIMIT", 4)!])).toBe(
      "const LIMIT = 4;\n\nexport async function solve() {}\n",
    );
    expect(insertConstant(tree, "MAX_TURNS", 4)).toBeUndefined();
  });

  it("renameDeclaration frees the name and drops the export", () => {
    const edited = applyEdits(SOURCE, renameDeclaration(tree, "parseCode", "parseCodeFirst")!);
    expect(edited).toContain("\nfunction parseCodeFirst(text)");
    expect(applyEdits(SOURCE, renameDeclaration(tree, "parseAnswer", "old")!)).toContain("const old = (text)");
  });

  it("applyEdits throws when edits overlap", () => {
    const edit = { start: 2, end: 6, text: "" };
    expect(() => applyEdits(SOURCE, [edit, { start: 5, end: 7, text: "" }])).toThrow(RangeError);
  });
});

describe("compare", () => {
  it("normaliseSource ignores layout and comments only", () => {
    expect(normaliseSource(SOURCE)).toBe(
      normaliseSource(SOURCE.replaceAll("\n\n", "\n").replace("// Plays one task.", "")),
    );
    expect(normaliseSource(SOURCE)).not.toBe(normaliseSource(SOURCE.replace("2", "3")));
  });

  it("isPromptOnlyEdit accepts changed text constants", () => {
    expect(isPromptOnlyEdit(SOURCE, SOURCE.replace('"Solve: " + "{question}"', "`Now do {question}`"))).toBe(true);
    expect(isPromptOnlyEdit(SOURCE, SOURCE.replace("// A harness.", "// Another."))).toBe(true);
  });

  it("isPromptOnlyEdit refuses any other change", () => {
    const others = [
      SOURCE.replace("MAX_TURNS = 2", "MAX_TURNS = 3"),
      SOURCE.replace("MAX_TURNS = 2", 'MAX_TURNS = "2"'),
      SOURCE.replace('"<code>"', '"<tool>"'),
      SOURCE.replace("USER_PROMPT =", "USER_TEXT ="),
      SOURCE.replace('"Solve: " + "{question}"', '["a"].join("")'),
      SOURCE.replace("turn += 1", "turn += 2"),
      `${SOURCE}\nconst MORE = "text";`,
    ];
    for (const other of others) expect(isPromptOnlyEdit(SOURCE, other)).toBe(false);
  });
});

describe("sites", () => {
  const tree = parseHarness(SOURCE);

  it("findChats gives messages, options, reply and loop", () => {
    const [site, ...more] = findChats(tree);
    expect(more).toEqual([]);
    expect(textOf(tree, site!.messages)).toBe("messages");
    expect(site!.reply).toBe("reply");
    expect(site!.loop?.type).toBe("ForStatement");
    expect(textOf(tree, site!.options!)).toBe("{ maxTokens: 50 }");
  });

  it("findTools, findMessageLists, findPushes and findReturns give their places", () => {
    expect(findTools(tree).map((site) => [site.name, textOf(tree, site.call)])).toEqual([
      ["run", "env.tools.run(code)"],
    ]);
    expect(findMessageLists(tree).map((list) => list.items.map((item) => item.role))).toEqual([["user"]]);
    expect(findPushes(tree.program).map((push) => [push.list, push.role])).toEqual([
      ["messages", "assistant"],
      ["messages", "user"],
    ]);
    const loop = findChats(tree)[0]!.loop!;
    expect(findReturns(loop).map((site) => textOf(tree, site.statement))).toEqual(["return parseAnswer(reply.text);"]);
  });
});

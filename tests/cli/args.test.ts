import { describe, expect, test } from "vitest";
import { parseAssignments, parseCommandLine, parseIds, type Arguments } from "../../src/cli/args.ts";
import { COMMAND_NAMES, COMMAND_TABLE } from "../../src/cli/command-table.ts";
import { formatCommandHelp, formatOverview } from "../../src/cli/help.ts";
import { editDistance, findNearest, unknownName, UsageError } from "../../src/cli/usage.ts";

function parse(line: string): { command: string; args: Arguments } {
  const invocation = parseCommandLine(line.split(" ").filter((word) => word !== ""));
  if (invocation.kind !== "command") throw new TypeError(`not a command: ${line}`);
  return invocation;
}

describe("parseCommandLine", () => {
  test("takes every default of run when nothing is given", () => {
    const { command, args } = parse("run");
    expect(command).toBe("run");
    expect(args.text("domain")).toBe("math-reasoning");
    expect(args.text("condition")).toBe("whale");
    expect(args.text("model")).toBe("tiny");
    expect(args.text("preset")).toBe("toy");
    expect(args.integer("seed")).toBe(0);
    expect(args.text("device")).toBe("auto");
    expect(args.text("out")).toBeUndefined();
    expect(args.flag("json")).toBe(false);
    expect(args.list("set")).toEqual([]);
  });

  test("reads values, repeated lists, equals signs and flags in any order", () => {
    const { args } = parse("run --json --set a.b=1 --seed=7 --set c=x=y --out runs/q --device cpu");
    expect(args.flag("json")).toBe(true);
    expect(args.integer("seed")).toBe(7);
    expect(args.list("set")).toEqual(["a.b=1", "c=x=y"]);
    expect(args.text("out")).toBe("runs/q");
  });

  test("reads two-word commands and positionals", () => {
    const { command, args } = parse("harness check h.js --domain math-reasoning --json");
    expect(command).toBe("harness check");
    expect(args.positionals).toEqual(["h.js"]);
    expect(parse("compare a b c").args.positionals).toEqual(["a", "b", "c"]);
  });

  test.each([
    ["rnu", 'unknown command "rnu"; did you mean "run"?'],
    ["frobnicate", "known: run, resume, "],
    ["run --sede 3", "unknown option --sede; did you mean --seed?"],
    ["run --xyzzyx", "see spyhop run --help"],
    ["run --seed x", '--seed must be a whole number of 0 or more, got "x"'],
    ["run --seed -1", '--seed must be a whole number of 0 or more, got "-1"'],
    ["run --seed 1.5", "--seed must be a whole number"],
    ["run --seed", "--seed needs a value: N"],
    ["run --out --json", "--out needs a value: DIR"],
    ["run --seed 1 --seed 2", "--seed is given 2 times"],
    ["run --device webgp", 'unknown device "webgp"; did you mean "webgpu"?'],
    ["run --json=yes", "--json takes no value"],
    ["run extra", 'run: unexpected argument "extra"'],
    ["resume", "resume: DIR is missing"],
    ["compare", "DIR is missing"],
    ["inspect", "inspect: a sub-command is missing; known: logits, train"],
    ["inspect logit", 'unknown inspect sub-command "logit"; did you mean "logits"?'],
    ["inspect logits", "--ids is missing"],
    ["inspect train --adapter a", "--batch is missing"],
    ["eval --samples 0", "--samples must be a whole number of 1 or more"],
  ])("refuses %j with one line", (line, expected) => {
    const attempt = (): unknown => parse(line);
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(expected);
  });

  test.each([
    ["", undefined],
    ["--help", undefined],
    ["help run", "run"],
    ["run --help", "run"],
    ["inspect train --help", "inspect train"],
    ["run --sede --help", "run"],
  ])("gives help for %j", (line, command) => {
    expect(parseCommandLine(line.split(" ").filter((word) => word !== ""))).toEqual({ kind: "help", command });
  });
});

describe("parseAssignments", () => {
  test("splits at the first equals sign", () => {
    expect(parseAssignments(["a.b=1", "c=x=y", "d="])).toEqual([
      ["a.b", "1"],
      ["c", "x=y"],
      ["d", ""],
    ]);
  });

  test.each(["a", "=1"])("refuses %j", (text) => {
    expect(() => parseAssignments([text])).toThrow(UsageError);
  });
});

describe("parseIds", () => {
  test("reads whole numbers", () => {
    expect(parseIds("1, 20,3")).toEqual([1, 20, 3]);
  });

  test.each(["", "1,,2", "-1", "1.5", "a"])("refuses %j", (text) => {
    expect(() => parseIds(text)).toThrow(UsageError);
  });
});

describe("findNearest", () => {
  test("finds slips and beginnings, and nothing where all is far", () => {
    expect(findNearest("math-resoning", ["math-reasoning", "search-qa"])).toBe("math-reasoning");
    expect(findNearest("math", ["math-reasoning", "search-qa"])).toBe("math-reasoning");
    expect(findNearest("qqqq", ["math-reasoning", "search-qa"])).toBeUndefined();
    expect(unknownName("domain", "qqqq", ["a", "b"]).message).toBe('unknown domain "qqqq"; known: a, b');
  });

  test("editDistance counts single-character edits", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("", "abc")).toBe(3);
  });
});

describe("help", () => {
  test("formatOverview names every command", () => {
    for (const name of COMMAND_NAMES) expect(formatOverview()).toContain(name);
  });

  test.each(COMMAND_NAMES)("formatCommandHelp shows every option of %s in 100 columns", (name) => {
    const help = formatCommandHelp(name);
    for (const option of COMMAND_TABLE[name].options) expect(help).toContain(`--${option.name}`);
    for (const line of help.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
  });
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseCommandLine } from "../../src/cli/args.ts";

const readme = await readFile("README.md", "utf8");

test("README holds the layer table of layers.json", async () => {
  const layers = JSON.parse(await readFile("layers.json", "utf8")) as Record<string, string[]>;
  const block = /<!-- layers -->([^]*)<!-- \/layers -->/.exec(readme)?.[1] ?? "";
  const rows = [...block.matchAll(/^\| (\S+)\s*\| (.*?)\s*\|$/gm)].map(([, folder, allowed]) => [folder, allowed]);
  const expected = Object.entries(layers).map(([folder, allowed]) => [folder, allowed.join(", ") || "nothing"]);
  expect(rows.slice(2)).toEqual(expected);
});

test("README shows only command lines that parse", () => {
  const lines = [...readme.matchAll(/^npm (?:start --|run -s spyhop --) ([^#\n]*)/gm)].map(([line, rest = ""]) =>
    line.startsWith("npm start") ? `run ${rest}` : rest,
  );
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(parseCommandLine(line.trim().split(/\s+/)).kind).toBe("command");
});

test("README stays under 200 lines", () => {
  expect(readme.split("\n").length).toBeLessThan(200);
});

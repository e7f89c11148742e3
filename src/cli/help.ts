/** Help texts, made from the command table. */
import { COMMAND_NAMES, COMMAND_TABLE, type CommandName, type OptionSpec } from "./command-table.ts";

const HELP_WIDTH = 100;

/** The overview that `spyhop --help` prints. */
export function formatOverview(): string {
  const width = Math.max(...COMMAND_NAMES.map((name) => name.length)) + 2;
  return [
    "spyhop: joint optimisation of a small language model's weights and of the harness around it",
    "",
    "Usage: spyhop COMMAND [options]",
    "",
    ...COMMAND_NAMES.map((name) => `  ${name.padEnd(width)}${COMMAND_TABLE[name].summary}`),
    "",
    "spyhop COMMAND --help shows the options of a command; without any, run takes the toy experiment.",
    "Exit status: 0 done, 1 failed, 2 wrong usage.",
    "",
  ].join("\n");
}

/** The help of one command. */
export function formatCommandHelp(command: CommandName): string {
  const { summary, positionals, options, notes } = COMMAND_TABLE[command];
  const words = ["spyhop", command];
  if (positionals.most > 0) words.push(positionals.name + (positionals.most > positionals.least ? "…" : ""));
  for (const option of options) if (option.required === true) words.push(formatSpelling(option));
  words.push("[options]");
  const width = Math.max(...options.map((option) => formatSpelling(option).length)) + 4;
  return [
    `${command}: ${summary}`,
    "",
    `Usage: ${words.join(" ")}`,
    "",
    ...options.flatMap((option) => formatOption(option, width)),
    ...(notes.length > 0 ? ["", ...notes] : []),
    "",
  ].join("\n");
}

function formatSpelling({ name, kind, value, choices }: OptionSpec): string {
  if (kind === "flag") return `--${name}`;
  return `--${name} ${value ?? choices?.join("|") ?? "TEXT"}`;
}

function formatOption(option: OptionSpec, width: number): string[] {
  const fallback = option.fallback === undefined ? "" : ` (default ${option.fallback})`;
  const lines = wrap(option.help + fallback, HELP_WIDTH - width);
  return lines.map((line, i) => `  ${(i === 0 ? formatSpelling(option) : "").padEnd(width)}${line}`);
}

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

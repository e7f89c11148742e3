/**
 * Turns an argument list into a command with checked options, on top of `parseArgs` of node:util.
 *
 * `parseArgs` does the lexing; its messages are replaced by one line that names the option and the nearest valid name.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import {
  COMMAND_NAMES,
  COMMAND_TABLE,
  type CommandName,
  type CommandSpec,
  type OptionName,
  type OptionSpec,
} from "./command-table.ts";
import { findNearest, unknownName, UsageError } from "./usage.ts";

/** Options as given or by default; every accessor returns undefined or empty where there is neither. */
export type Arguments = {
  readonly positionals: readonly string[];
  readonly text: (name: OptionName) => string | undefined;
  readonly integer: (name: OptionName) => number | undefined;
  readonly list: (name: OptionName) => readonly string[];
  readonly flag: (name: OptionName) => boolean;
};

/** What the command line asks for. */
export type Invocation =
  | { readonly kind: "help"; readonly command: CommandName | undefined }
  | { readonly kind: "version" }
  | { readonly kind: "command"; readonly command: CommandName; readonly args: Arguments };

/**
 * Reads `argv` (without the program's own name).
 * @throws {UsageError} If a command, option or value does not exist or is missing.
 */
export function parseCommandLine(argv: readonly string[]): Invocation {
  const [first] = argv;
  if (first === undefined || first === "help" || first === "--help" || first === "-h")
    return { kind: "help", command: findCommandIn(argv.slice(1)) };
  if (first === "--version" || first === "-v") return { kind: "version" };
  const { command, rest } = splitCommand(argv);
  if (rest.includes("--help") || rest.includes("-h")) return { kind: "help", command };
  return { kind: "command", command, args: parseOptions(command, rest) };
}

/**
 * The value of a required option or positional.
 * @throws {UsageError} If it is absent, which the table should have ruled out.
 */
export function requireValue<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}

/**
 * Splits `KEY=VALUE` texts.
 * @throws {UsageError} If one has no key or no equals sign.
 */
export function parseAssignments(texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--set takes KEY=VALUE, got ${JSON.stringify(text)}`);
    return [text.slice(0, at).trim(), text.slice(at + 1)] as const;
  });
}

/**
 * Token ids from a text such as `1,2,3`.
 * @throws {UsageError} If it is empty or holds anything but whole numbers of 0 or more.
 */
export function parseIds(text: string): number[] {
  return text.split(",").map((part) => {
    if (!/^\s*\d+\s*$/.test(part))
      throw new UsageError(`--ids takes whole numbers separated by commas, got ${JSON.stringify(part)}`);
    return Number(part);
  });
}

function findCommandIn(words: readonly string[]): CommandName | undefined {
  return COMMAND_NAMES.find((name) => words.slice(0, 2).join(" ") === name || words[0] === name);
}

function splitCommand(argv: readonly string[]): { command: CommandName; rest: readonly string[] } {
  const [first = "", second] = argv;
  const single = COMMAND_NAMES.find((name) => name === first);
  if (single !== undefined) return { command: single, rest: argv.slice(1) };
  const family = COMMAND_NAMES.filter((name) => name.startsWith(`${first} `));
  if (family.length === 0) throw unknownName("command", first, [...new Set(COMMAND_NAMES.map(firstWord))]);
  const subcommands = family.map((name) => name.slice(first.length + 1));
  // `inspect --help` asks about the family; its first member stands for it.
  if (second === "--help" || second === "-h") return { command: family[0] as CommandName, rest: argv.slice(1) };
  if (second === undefined || second.startsWith("-"))
    throw new UsageError(`${first}: a sub-command is missing; known: ${subcommands.join(", ")}`);
  const found = family.find((name) => name === `${first} ${second}`);
  if (found === undefined) throw unknownName(`${first} sub-command`, second, subcommands);
  return { command: found, rest: argv.slice(2) };
}

function firstWord(name: string): string {
  return name.split(" ")[0] ?? name;
}

function parseOptions(command: CommandName, words: readonly string[]): Arguments {
  const spec = COMMAND_TABLE[command];
  const { values, positionals } = lex(command, words);
  checkPositionals(command, spec, positionals);
  for (const option of spec.options) checkOption(option, values[option.name]);
  const first = (name: OptionName): string | undefined => {
    const given = values[name]?.[0];
    return given ?? spec.options.find((option) => option.name === name)?.fallback;
  };
  return {
    positionals,
    text: first,
    integer: (name) => {
      const value = first(name);
      return value === undefined ? undefined : Number(value);
    },
    list: (name) => values[name] ?? [],
    flag: (name) => values[name] !== undefined,
  };
}

type LexedWords = { values: Partial<Record<OptionName, readonly string[]>>; positionals: readonly string[] };

function lex(command: CommandName, words: readonly string[]): LexedWords {
  const { options } = COMMAND_TABLE[command];
  const config: ParseArgsConfig = {
    args: joinNegativeValues(words, options),
    options: Object.fromEntries(
      options.map(({ name, kind }) => [
        name,
        { type: kind === "flag" ? "boolean" : "string", multiple: true } as const,
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  };
  const values: Partial<Record<OptionName, readonly string[]>> = {};
  const positionals: string[] = [];
  for (const token of parseArgs({ ...config, tokens: true }).tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = options.find(({ name }) => `--${name}` === token.rawName);
    if (option === undefined) throw unknownOption(command, token.rawName);
    values[option.name] = [...(values[option.name] ?? []), takeValue(option, token)];
  }
  return { values, positionals };
}

/** `--seed -1` would read as two options; joined, it reaches the check that names what is wrong with it. */
function joinNegativeValues(words: readonly string[], options: readonly OptionSpec[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const takesNumber = options.some(({ name, kind }) => kind === "integer" && before === `--${name}`);
    if (takesNumber && /^-\d/.test(word)) joined[joined.length - 1] = `${before ?? ""}=${word}`;
    else joined.push(word);
  }
  return joined;
}

function unknownOption(command: CommandName, given: string): UsageError {
  const names = COMMAND_TABLE[command].options.map(({ name }) => `--${name}`);
  const nearest = findNearest(given, names);
  const hint = nearest === undefined ? `see spyhop ${command} --help` : `did you mean ${nearest}?`;
  return new UsageError(`${command}: unknown option ${given}; ${hint}`);
}

type OptionToken = { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined };

function takeValue(option: OptionSpec, token: OptionToken): string {
  // The next option is not a value, unless it was joined by an equals sign.
  const isSwallowed = token.inlineValue === false && token.value?.startsWith("--") === true;
  const value = isSwallowed ? undefined : token.value;
  if (option.kind === "flag") {
    if (value !== undefined) throw new UsageError(`--${option.name} takes no value, got ${JSON.stringify(value)}`);
    return "";
  }
  if (value === undefined || value === "")
    throw new UsageError(`--${option.name} needs a value: ${option.value ?? option.choices?.join("|") ?? "TEXT"}`);
  return value;
}

function checkPositionals(command: CommandName, spec: CommandSpec, given: readonly string[]): void {
  const { name, least, most } = spec.positionals;
  if (given.length < least) {
    const wanted = least === 1 ? name : `${String(least)} or more ${name}`;
    throw new UsageError(`${command}: ${wanted} is missing; see spyhop ${command} --help`);
  }
  if (given.length > most) throw new UsageError(`${command}: unexpected argument ${JSON.stringify(given[most])}`);
}

function checkOption(option: OptionSpec, given: readonly string[] | undefined): void {
  if (given === undefined) {
    if (option.required === true) throw new UsageError(`--${option.name} is missing: ${option.help}`);
    return;
  }
  if (option.kind !== "list" && given.length > 1)
    throw new UsageError(`--${option.name} is given ${String(given.length)} times; once is enough`);
  const [value = ""] = given;
  if (option.kind === "choice" && option.choices?.includes(value) === false)
    throw unknownName(option.name, value, option.choices);
  if (option.kind !== "integer") return;
  const minimum = option.minimum ?? 0;
  if (!/^-?\d+$/.test(value) || Number(value) < minimum || Number(value) > Number.MAX_SAFE_INTEGER)
    throw new UsageError(
      `--${option.name} must be a whole number of ${String(minimum)} or more, got ${JSON.stringify(value)}`,
    );
}

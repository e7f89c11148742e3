/**
 * A very small JavaScript: numbers, + - * / % **, parentheses, assignment, `print(...)`.
 *
 * The corpus needs the true output of each program it shows, at a few microseconds a program, so it interprets the
 * subset that it writes. Values are IEEE doubles as in JavaScript; everything outside the subset is a SyntaxError, as
 * an engine would report it.
 */

/** What a program did. */
export type ProgramResult = {
  /** Lines that `print` wrote. */
  readonly printed: readonly string[];
  /** Value of the last expression or assignment. */
  readonly value: number | undefined;
  /** Message of the error that stopped the program. */
  readonly error: string | undefined;
};

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/%()=;,\n]))/y;

type Parser = { tokens: string[]; at: number; variables: Map<string, number>; printed: string[] };

/** Runs `source`. Never throws: errors are part of the result. */
export function runProgram(source: string): ProgramResult {
  const printed: string[] = [];
  let value: number | undefined;
  try {
    const variables = new Map<string, number>();
    for (const line of source.split(/[;\n]/)) {
      const tokens = tokenize(line);
      if (tokens.length > 0) value = statement({ tokens, at: 0, variables, printed });
    }
    return { printed, value, error: undefined };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ReferenceError)) throw error;
    return { printed, value, error: `${error.name}: ${error.message}` };
  }
}

/**
 * The value of one expression.
 * @throws {SyntaxError} If `source` is not an expression of the subset.
 */
export function evaluate(source: string): number {
  const { value, error } = runProgram(source);
  if (error !== undefined || value === undefined)
    throw new SyntaxError(`evaluate: ${error ?? "no value"} in ${source}`);
  return value;
}

function tokenize(line: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const text = line.trim();
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) throw new SyntaxError("unexpected token");
    tokens.push(match[0].trim());
  }
  return tokens;
}

function statement(p: Parser): number | undefined {
  if (["const", "let", "var"].includes(p.tokens[p.at] ?? "")) p.at += 1;
  const name = p.tokens[p.at] ?? "";
  const isName = /^[A-Za-z_]/.test(name);
  let value: number | undefined;
  if (isName && p.tokens[p.at + 1] === "=") {
    p.at += 2;
    value = sum(p);
    p.variables.set(name, value);
  } else if (name === "print" && p.tokens[p.at + 1] === "(") {
    p.at += 1;
    const values = callArguments(p);
    p.printed.push(values.map(String).join(" "));
  } else {
    value = sum(p);
  }
  if (p.at < p.tokens.length) throw new SyntaxError("unexpected token");
  return value;
}

function callArguments(p: Parser): number[] {
  const values: number[] = [];
  expect(p, "(");
  values.push(sum(p));
  while (p.tokens[p.at] === ",") {
    p.at += 1;
    values.push(sum(p));
  }
  expect(p, ")");
  return values;
}

function expect(p: Parser, token: string): void {
  if (p.tokens[p.at] !== token)
    throw new SyntaxError(p.at >= p.tokens.length ? "unexpected end of input" : "unexpected token");
  p.at += 1;
}

function sum(p: Parser): number {
  let left = product(p);
  for (;;) {
    const operator = p.tokens[p.at];
    if (operator !== "+" && operator !== "-") return left;
    p.at += 1;
    const right = product(p);
    left = operator === "+" ? left + right : left - right;
  }
}

function product(p: Parser): number {
  let left = power(p);
  for (;;) {
    const operator = p.tokens[p.at];
    if (operator !== "*" && operator !== "/" && operator !== "%") return left;
    p.at += 1;
    const right = power(p);
    left = operator === "*" ? left * right : operator === "/" ? left / right : left % right;
  }
}

function power(p: Parser): number {
  const base = atom(p);
  if (p.tokens[p.at] !== "**") return base;
  p.at += 1;
  return base ** power(p);
}

function atom(p: Parser): number {
  const token = p.tokens[p.at];
  p.at += 1;
  if (token === undefined) throw new SyntaxError("unexpected end of input");
  if (token === "-") return -atom(p);
  if (token === "(") {
    const value = sum(p);
    expect(p, ")");
    return value;
  }
  if (/^\d/.test(token)) return Number(token);
  if (!/^[A-Za-z_]/.test(token)) throw new SyntaxError("unexpected token");
  const value = p.variables.get(token);
  if (value === undefined) throw new ReferenceError(`${token} is not defined`);
  return value;
}

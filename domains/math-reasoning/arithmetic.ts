/**
 * Exact integer arithmetic on short texts such as `(12 + 7) * 8`: the generator computes its gold answers with it, so that
 * a question, its JavaScript expression and its answer cannot disagree. Grammar: `+ - * / %`, unary minus, parentheses.
 */

/**
 * The value of `text`, an integer.
 * @throws {SyntaxError} If `text` is not an expression of the grammar.
 * @throws {RangeError} If a division leaves a remainder, or a value is not a safe integer.
 */
export function evaluateArithmetic(text: string): number {
  const reader: Reader = { tokens: text.match(/\d+|\S/g) ?? [], at: 0, text };
  const value = readSum(reader);
  if (reader.at < reader.tokens.length) refuse(reader);
  return value;
}

type Reader = { readonly tokens: readonly string[]; at: number; readonly text: string };

function readSum(reader: Reader): number {
  let value = readProduct(reader);
  for (;;) {
    if (take(reader, "+")) value = safe(value + readProduct(reader), reader);
    else if (take(reader, "-")) value = safe(value - readProduct(reader), reader);
    else return value;
  }
}

function readProduct(reader: Reader): number {
  let value = readFactor(reader);
  for (;;) {
    if (take(reader, "*")) value = safe(value * readFactor(reader), reader);
    else if (take(reader, "/")) value = safe(value / readFactor(reader), reader);
    else if (take(reader, "%")) value = safe(value % readFactor(reader), reader);
    else return value;
  }
}

function readFactor(reader: Reader): number {
  if (take(reader, "-")) return -readFactor(reader);
  if (take(reader, "(")) {
    const value = readSum(reader);
    if (!take(reader, ")")) refuse(reader);
    return value;
  }
  const token = reader.tokens[reader.at] ?? "";
  if (!/^\d+$/.test(token)) refuse(reader);
  reader.at += 1;
  return safe(Number(token), reader);
}

function take(reader: Reader, token: string): boolean {
  if (reader.tokens[reader.at] !== token) return false;
  reader.at += 1;
  return true;
}

function safe(value: number, reader: Reader): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`arithmetic: no exact integer value in ${reader.text}`);
  return value === 0 ? 0 : value; // no negative zero
}

function refuse(reader: Reader): never {
  const found = reader.tokens[reader.at] ?? "the end";
  throw new SyntaxError(`arithmetic: unexpected ${found} in ${reader.text}`);
}

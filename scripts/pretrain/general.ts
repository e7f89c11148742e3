/** Small tasks of other kinds: lists, sorting, counting, comparisons, units and formatting. */
import { assistant, capitalise, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import { drawGivenName, drawNames } from "./names.ts";
import { drawAnswerTagRequest, drawBoxRequest, drawPersona } from "./tool-phrases.ts";

type Task = { readonly prompt: string; readonly reply: string; readonly isNumber?: boolean };

/** One chat of one to three small tasks. */
export function generalTranscript(draw: Draw): Transcript {
  const make = draw.pick(TASKS);
  const tasks = Array.from({ length: draw.chance(0.6) ? 1 : draw.between(2, 3) }, () => make(draw));
  const form = draw.weighted([
    [0.6, "plain"],
    [0.25, "tag"],
    [0.15, "box"],
  ]);
  const request = form === "tag" ? drawAnswerTagRequest(draw) : form === "box" ? drawBoxRequest(draw) : "";
  const isOnTop = draw.chance(0.5);
  const top = draw.chance(0.5) ? joinParts([drawPersona(draw), isOnTop ? request : ""], " ") : "";
  const messages = top === "" ? [] : [system(top)];
  for (const [turn, { prompt, reply }] of tasks.entries()) {
    const instruction = turn === 0 && !top.includes(request) ? request : "";
    const text = form === "tag" ? `<answer>${reply}</answer>` : form === "box" ? `\\boxed{${reply}}` : reply;
    messages.push(user(joinParts([prompt, instruction], draw.pick([" ", "\n"]))), assistant(text));
  }
  return { messages, family: "general" };
}

const WORDS =
  "red blue green cat dog bird tree house river stone apple bread milk door key lamp moon star sea hill book song rain snow fire ship road farm cup hat".split(
    " ",
  );

function drawWords(draw: Draw, count: number): string[] {
  return draw.shuffle(WORDS).slice(0, count);
}

function drawNumbers(draw: Draw, count: number): number[] {
  const top = draw.pick([9, 20, 99, 500]);
  return Array.from({ length: count }, () => draw.between(0, top));
}

function drawItems(draw: Draw): string[] {
  const count = draw.between(2, 6);
  return draw.chance(0.4)
    ? drawNumbers(draw, count).map(String)
    : draw.chance(0.5)
      ? drawWords(draw, count)
      : drawNames(draw, count);
}

const TASKS: readonly ((draw: Draw) => Task)[] = [
  reverse,
  sort,
  count,
  extreme,
  compare,
  convert,
  format,
  membership,
  successor,
  odd,
  greet,
];

function reverse(draw: Draw): Task {
  const items = drawItems(draw);
  return {
    prompt: fill(draw.pick(["Reverse this list: {l}", "Write the list in reverse order: {l}", "{l}\nReverse it."]), {
      l: items.join(", "),
    }),
    reply: items.toReversed().join(", "),
  };
}

function sort(draw: Draw): Task {
  const isNumeric = draw.chance(0.6);
  const isDown = draw.chance(0.25);
  const items = isNumeric
    ? drawNumbers(draw, draw.between(2, 5))
        .sort((a, b) => a - b)
        .map(String)
    : drawWords(draw, draw.between(2, 5)).sort();
  const sorted = isDown ? items.toReversed() : items;
  const order = isDown
    ? draw.pick(["from largest to smallest", "in descending order"])
    : draw.pick(["from smallest to largest", "in ascending order", "in order"]);
  return {
    prompt: fill(draw.pick(["Sort {o}: {l}", "Sort this list {o}: {l}", "Put {l} {o}."]), {
      o: order,
      l: draw.shuffle(items).join(", "),
    }),
    reply: sorted.join(", "),
  };
}

function count(draw: Draw): Task {
  const words = drawWords(draw, 3);
  const items = Array.from({ length: draw.between(2, 8) }, () => draw.pick(words));
  const isAll = draw.chance(0.4);
  const target = draw.pick(words);
  const number = isAll ? items.length : items.filter((item) => item === target).length;
  const question = isAll
    ? draw.pick(["How many items are in the list?", "Count the words."])
    : draw.pick([
        `How often does ${target} occur?`,
        `Count the word ${target}.`,
        `How many times is ${target} in the list?`,
      ]);
  return { prompt: `${items.join(" ")}\n${question}`, reply: String(number), isNumber: true };
}

function extreme(draw: Draw): Task {
  const numbers = drawNumbers(draw, draw.between(2, 5));
  const isMax = draw.chance(0.5);
  const question = isMax
    ? draw.pick(["Which number is the largest: {l}?", "What is the maximum of {l}?"])
    : draw.pick(["Which number is the smallest: {l}?", "What is the minimum of {l}?"]);
  return {
    prompt: fill(question, { l: numbers.join(", ") }),
    reply: String(isMax ? Math.max(...numbers) : Math.min(...numbers)),
    isNumber: true,
  };
}

function compare(draw: Draw): Task {
  const [a = 0, b = 0] = drawNumbers(draw, 2);
  const kind = draw.pick(["larger", "smaller", "equal"] as const);
  const isTrue = kind === "larger" ? a > b : kind === "smaller" ? a < b : a === b;
  const relation = { larger: "larger than", smaller: "smaller than", equal: "equal to" }[kind];
  return {
    prompt: fill(
      draw.pick([
        "Is {a} {r} {b}?",
        "Is {a} {r} {b}? Answer yes or no.",
        "True or not: {a} is {r} {b}. Say yes or no.",
      ]),
      { a, b, r: relation },
    ),
    reply: isTrue ? "yes" : "no",
  };
}

const UNITS: readonly (readonly [large: string, small: string, factor: number])[] = [
  ["m", "cm", 100],
  ["km", "m", 1000],
  ["kg", "g", 1000],
  ["hours", "minutes", 60],
  ["minutes", "seconds", 60],
  ["days", "hours", 24],
  ["weeks", "days", 7],
  ["years", "months", 12],
];

function convert(draw: Draw): Task {
  const [large, small, factor] = draw.pick(UNITS);
  const number = draw.between(1, 12);
  return {
    prompt: fill(draw.pick(["How many {s} are {n} {l}?", "Convert {n} {l} to {s}.", "{n} {l} = ? {s}"]), {
      s: small,
      l: large,
      n: number,
    }),
    reply: String(number * factor),
    isNumber: true,
  };
}

function format(draw: Draw): Task {
  const items = drawNames(draw, draw.between(2, 4));
  const list = items.join(draw.pick([", ", " ", "; "]));
  return draw.pick([
    () => ({ prompt: `Join with a dash: ${list}`, reply: items.join("-") }),
    () => ({ prompt: `Write as a JSON list: ${list}`, reply: JSON.stringify(items) }),
    () => ({ prompt: `Write one name on each line: ${list}`, reply: items.join("\n") }),
    () => ({
      prompt: `Number the items: ${list}`,
      reply: items.map((item, index) => `${String(index + 1)}. ${item}`).join("\n"),
    }),
    () => ({ prompt: `Join with "and": ${list}`, reply: items.join(" and ") }),
    () => ({ prompt: `Put ${items[0] ?? ""} in quotes.`, reply: `"${items[0] ?? ""}"` }),
  ])();
}

function membership(draw: Draw): Task {
  const items = drawItems(draw);
  const isIn = draw.chance(0.5);
  const target = isIn ? draw.pick(items) : draw.pick(drawItems(draw));
  return {
    prompt: fill(draw.pick(["{l}\nIs {t} in the list?", "Does the list {l} contain {t}?", "Is {t} one of {l}?"]), {
      l: items.join(", "),
      t: target,
    }),
    reply: items.includes(target) ? "yes" : "no",
  };
}

function successor(draw: Draw): Task {
  const start = draw.between(1, 200);
  const step = draw.pick([1, 1, 2, 5, 10]);
  const shown = [0, 1, 2].map((i) => start + i * step);
  return {
    prompt: fill(draw.pick(["Which number comes next: {l}?", "Continue: {l}", "{l}, ?"]), { l: shown.join(", ") }),
    reply: String(start + 3 * step),
    isNumber: true,
  };
}

function odd(draw: Draw): Task {
  const number = draw.between(1, 999);
  const isEven = draw.chance(0.5);
  return {
    prompt: `Is ${String(number)} ${isEven ? "even" : "odd"}?`,
    reply: (number % 2 === 0) === isEven ? "yes" : "no",
  };
}

function greet(draw: Draw): Task {
  const name = drawGivenName(draw);
  const word = draw.pick(["hello", "good morning", "thank you", "goodbye", "welcome"]);
  return {
    prompt: fill(draw.pick(["Say {w} to {n}.", "Write {w} for {n}."]), { w: word, n: name }),
    reply: `${capitalise(word)}, ${name}!`,
  };
}

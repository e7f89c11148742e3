/** Word problems with two numbers, one step. Data only. */
import type { Template } from "./template.ts";

/** Templates of tier `easy`. */
export const EASY_WORDS: readonly Template[] = [
  {
    kind: "gain",
    texts: [
      "{name} has {a} {item} and gets {b} more. How many {item} does {name} have now?",
      "{name} had {a} {item}. {other} gave {name} {b} more. How many {item} does {name} have?",
    ],
    expression: "a + b",
    draws: { a: [11, 99], b: [5, 60] },
  },
  {
    kind: "loss",
    texts: [
      "{name} had {a} {item} and gave {b} to {other}. How many {item} are left?",
      "There were {a} {item} in a box. {name} took {b} of them. How many are left in the box?",
    ],
    expression: "a - b",
    draws: { b: [5, 60], q: [3, 60], a: "b + q" },
  },
  {
    kind: "packs",
    texts: [
      "{name} buys {a} packs of {b} {item}. How many {item} is that?",
      "A pack holds {b} {item}. How many {item} are in {a} packs?",
    ],
    expression: "a * b",
    draws: { a: [3, 19], b: [4, 24] },
  },
  {
    kind: "price",
    texts: [
      "One ticket costs {b} dollars. How many dollars do {a} tickets cost?",
      "{name} buys {a} books at {b} dollars each. How many dollars does {name} pay?",
    ],
    expression: "a * b",
    draws: { a: [3, 19], b: [4, 24] },
  },
  {
    kind: "share",
    texts: [
      "{name} shares {a} {item} equally among {b} friends. How many {item} does each friend get?",
      "{a} {item} are put into {b} equal boxes. How many {item} are in each box?",
    ],
    expression: "a / b",
    draws: { b: [3, 12], q: [3, 30], a: "b * q" },
  },
  {
    kind: "left-over",
    texts: [
      "{name} packs {a} {item} into bags of {b}. How many {item} are left over?",
      "{a} {item} are shared equally among {b} children. How many {item} remain?",
    ],
    expression: "a % b",
    draws: { a: [25, 99], b: [3, 12] },
  },
  {
    kind: "distance",
    texts: [
      "A train travels {a} km an hour for {b} hours. How many km does it travel?",
      "{name} rides {a} km every hour. How many km does {name} ride in {b} hours?",
    ],
    expression: "a * b",
    draws: { a: [12, 90], b: [2, 9] },
  },
  {
    kind: "age",
    texts: [
      "{name} is {a} years old. {other} is {b} years older. How old is {other}?",
      "{name} is {a} years old. How old will {name} be in {b} years?",
    ],
    expression: "a + b",
    draws: { a: [6, 60], b: [3, 30] },
  },
  {
    kind: "compare",
    texts: ["{name} has {a} {item} and {other} has {b}. How many more {item} does {name} have than {other}?"],
    expression: "a - b",
    draws: { b: [11, 60], q: [3, 39], a: "b + q" },
  },
  {
    kind: "cooling",
    texts: ["It is {a} degrees in the {place}. At night it gets {b} degrees colder. How many degrees is it at night?"],
    expression: "a - b",
    draws: { a: [2, 20], b: [3, 30] },
  },
];

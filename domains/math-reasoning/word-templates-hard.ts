/** Word problems with four and more numbers, three steps. Data only. */
import type { Template } from "./template.ts";

/** Templates of tier `hard`. */
export const HARD_WORDS: readonly Template[] = [
  {
    kind: "two-kinds",
    texts: [
      "{name} buys {a} {item} at {b} cents and {c} {thing} at {d} cents each. How many cents does {name} pay?",
      "At the {place}, {item} cost {b} cents each and {thing} cost {d} cents. What do {a} {item} and {c} {thing} cost in cents?",
    ],
    expression: "a * b + c * d",
    draws: { a: [3, 29], b: [12, 99], c: [3, 29], d: [12, 99] },
  },
  {
    kind: "two-kinds-change",
    texts: [
      "{name} buys {a} {item} at {b} cents and {c} {thing} at {d} cents each, and pays {f} cents. How much change is that in cents?",
    ],
    expression: "f - a * b - c * d",
    draws: { a: [3, 19], b: [12, 79], c: [3, 19], d: [12, 79], q: [5, 300], f: "a * b + c * d + q" },
  },
  {
    kind: "compare-earnings",
    texts: [
      "{name} works {a} hours at {b} dollars and {other} works {c} hours at {d} dollars. How much more does {name} earn?",
      "{name} sells {a} {item} at {b} dollars, {other} sells {c} at {d} dollars. How many dollars more does {name} get?",
    ],
    expression: "a * b - c * d",
    draws: { c: [5, 29], d: [11, 39], p: [3, 20], q: [3, 20], a: "c + p", b: "d + q" },
  },
  {
    kind: "shelves",
    texts: [
      "The {place} has {a} shelves with {b} boxes of {c} {item} each. {d} {item} are sold. How many {item} are left?",
      "{a} rooms hold {b} boxes each, and a box holds {c} {item}. {name} takes {d} {item}. How many {item} remain?",
    ],
    expression: "a * b * c - d",
    draws: { a: [11, 49], b: [3, 19], c: [4, 29], d: [11, 130] },
  },
  {
    kind: "group-price",
    texts: [
      "{a} adults and {b} children go to the {place}. A ticket is {c} dollars. They have a voucher of {d} dollars. What do they pay?",
      "{name} packs {a} {item} and {b} {thing}. Each piece costs {c} cents, and {d} cents are taken off. How many cents is that?",
    ],
    expression: "(a + b) * c - d",
    draws: { a: [11, 99], b: [11, 99], c: [5, 29], d: [11, 99] },
  },
  {
    kind: "share-after-gift",
    texts: [
      "{name} has {a} boxes of {b} {item}, gives {c} {item} away and splits the rest among {d} friends. How many does each get?",
      "{a} bags hold {b} {item} each. {c} {item} are broken. The others go into {d} equal boxes. How many are in each box?",
    ],
    expression: "(a * b - c) / d",
    draws: { d: [3, 12], p: [3, 9], a: "d * p", b: [12, 79], q: [1, 9], c: "d * q" },
  },
  {
    kind: "share-price",
    texts: [
      "{name} and {other} put {a} and {b} {item} into {c} equal bags and sell each of the {item} for {d} cents. What does a bag cost?",
      "{a} red and {b} blue {item} are packed in {c} equal boxes. One of the {item} costs {d} cents. How many cents is one box?",
    ],
    expression: "(a + b) / c * d",
    draws: { c: [3, 19], q: [21, 99], b: [11, 60], a: "c * q - b", d: [12, 79] },
  },
  {
    kind: "two-speeds",
    texts: [
      "{name} drives {a} hours at {b} km an hour, then {c} hours at {d} km an hour. How many km is that?",
      "A train goes {b} km an hour for {a} hours and {d} km an hour for {c} hours. How far does it go in km?",
    ],
    expression: "a * b + c * d",
    draws: { a: [3, 19], b: [32, 99], c: [3, 19], d: [32, 99] },
  },
  {
    kind: "two-speeds-rest",
    texts: [
      "A trip is {f} km long. {name} drives {a} hours at {b} km an hour and {c} hours at {d} km an hour. How many km are left?",
    ],
    expression: "f - a * b - c * d",
    draws: { a: [3, 9], b: [32, 99], c: [3, 9], d: [32, 99], q: [11, 400], f: "a * b + c * d + q" },
  },
  {
    kind: "packing-rest",
    texts: [
      "{name} has {a} boxes of {b} {item} and {c} more. They are packed in bags of {d}. How many {item} are left over?",
      "{a} rows of {b} {item} and {c} single ones are shared among {d} children. How many {item} remain?",
    ],
    expression: "(a * b + c) % d",
    draws: { a: [12, 49], b: [12, 49], c: [11, 199], d: [13, 49] },
  },
  {
    kind: "tank-leak",
    texts: [
      "A tank holds {a} litres. Each minute {b} litres flow in and {c} flow out. How many litres does it hold after {d} minutes?",
      "{name} has {a} dollars, earns {b} dollars a day and spends {c} dollars a day. How many dollars after {d} days?",
    ],
    expression: "a + (b - c) * d",
    draws: { a: [111, 999], b: [21, 99], c: [11, 99], d: [3, 29] },
  },
  {
    kind: "ages-four",
    texts: [
      "{name} is {a} and {other} is {b}. In {c} years, what is {d} times the sum of their ages?",
      "In {c} years, what will be {d} times the ages of {name}, now {a}, and {other}, now {b}, together?",
    ],
    expression: "(a + b + 2 * c) * d",
    draws: { a: [6, 79], b: [6, 79], c: [3, 29], d: [3, 19] },
  },
];

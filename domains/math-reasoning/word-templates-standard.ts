/** Word problems with three numbers, two steps. Data only. */
import type { Template } from "./template.ts";

const SHOPPING: readonly Template[] = [
  {
    kind: "change",
    texts: [
      "{name} buys {a} {item} at {b} cents each and pays with {c} cents. How many cents of change does {name} get?",
      "One of the {item} costs {b} cents. {name} buys {a} and pays {c} cents. How much change is that?",
    ],
    expression: "c - a * b",
    draws: { a: [3, 19], b: [12, 79], q: [5, 200], c: "a * b + q" },
  },
  {
    kind: "packs-and-more",
    texts: [
      "{name} has {a} boxes of {b} {item} and {c} more {item}. How many {item} does {name} have?",
      "There are {b} {item} in each of {a} boxes, and {c} {item} on the table. How many {item} are there?",
    ],
    expression: "a * b + c",
    draws: { a: [3, 29], b: [12, 99], c: [11, 150] },
  },
  {
    kind: "packs-less",
    texts: [
      "{name} buys {a} packs of {b} {item} and gives {c} {item} to {other}. How many {item} does {name} keep?",
      "{name} had {a} bags with {b} {item} each. {c} {item} were lost. How many {item} are left?",
    ],
    expression: "a * b - c",
    draws: { a: [5, 29], b: [12, 79], c: [11, 59] },
  },
  {
    kind: "price-of-two",
    texts: [
      "A lamp costs {a} dollars and a chair costs {b} dollars. How many dollars do {c} sets of both cost?",
      "{name} buys {c} sets. Each set has a bag for {a} dollars and a hat for {b} dollars. How much is that in dollars?",
    ],
    expression: "(a + b) * c",
    draws: { a: [12, 99], b: [12, 99], c: [3, 29] },
  },
  {
    kind: "discount",
    texts: [
      "A coat costs {a} dollars. {name} gets {b} dollars off each coat. How many dollars do {c} coats cost?",
      "Tickets for {a} dollars are {b} dollars cheaper today. How many dollars do {c} tickets cost today?",
    ],
    expression: "(a - b) * c",
    draws: { b: [11, 49], q: [21, 99], a: "b + q", c: [3, 19] },
  },
  {
    kind: "fee",
    texts: [
      "The {place} charges {a} dollars for entry and {b} dollars an hour. What does {name} pay in dollars for {c} hours?",
      "A room costs {b} dollars an hour plus a fee of {a} dollars. How many dollars are {c} hours?",
    ],
    expression: "a + b * c",
    draws: { a: [11, 199], b: [12, 79], c: [3, 19] },
  },
];

const SHARING: readonly Template[] = [
  {
    kind: "share-and-own",
    texts: [
      "{name} shares {a} {item} equally among {b} friends. {other}, one of them, had {c}. How many has {other} now?",
      "{a} {item} are split equally into {b} boxes, then {c} more go into each box. How many {item} are in one box?",
    ],
    expression: "a / b + c",
    draws: { b: [3, 19], q: [11, 60], a: "b * q", c: [11, 99] },
  },
  {
    kind: "join-and-share",
    texts: [
      "{name} has {a} {item} and {other} has {b}. They put them into {c} equal piles. How many {item} are in each pile?",
      "{a} girls and {b} boys form {c} teams of the same size. How many are in each team?",
    ],
    expression: "(a + b) / c",
    draws: { c: [3, 19], q: [21, 99], b: [11, 60], a: "c * q - b" },
  },
  {
    kind: "boxes-left-over",
    texts: [
      "{name} opens {a} boxes of {b} {item} and packs them again in bags of {c}. How many {item} are left over?",
      "{a} rows of {b} {item} are shared equally among {c} children. How many {item} remain?",
    ],
    expression: "a * b % c",
    draws: { a: [12, 49], b: [12, 49], c: [7, 29] },
  },
  {
    kind: "pages",
    texts: [
      "A book has {a} pages. {name} reads {b} pages a day for {c} days. How many pages are left?",
      "{name} must read {a} pages and reads {b} of them each day. How many pages are left after {c} days?",
    ],
    expression: "a - b * c",
    draws: { b: [12, 49], c: [3, 14], q: [11, 200], a: "b * c + q" },
  },
];

const TRAVEL: readonly Template[] = [
  {
    kind: "two-way-days",
    texts: [
      "It is {a} km to the {place} and {b} km from there to the {town}. {name} goes this way {c} times. How many km is that?",
      "{name} runs {a} km and swims {b} km every week. How many km is that in {c} weeks?",
    ],
    expression: "(a + b) * c",
    draws: { a: [11, 99], b: [11, 99], c: [3, 29] },
  },
  {
    kind: "trip-rest",
    texts: [
      "A trip is {a} km long. {name} drives {b} km an hour for {c} hours. How many km are left?",
      "The {place} is {a} km away. A bus drives there at {b} km an hour. How far is it still after {c} hours, in km?",
    ],
    expression: "a - b * c",
    draws: { b: [32, 98], c: [3, 9], q: [11, 200], a: "b * c + q" },
  },
  {
    kind: "bus",
    texts: [
      "A train has {a} people. {b} get off and {c} get on. How many people are on the train?",
      "There are {a} people in the {place}. {b} leave and {c} come. How many are there now?",
    ],
    expression: "a - b + c",
    draws: { b: [111, 399], q: [111, 599], a: "b + q", c: [111, 499] },
  },
];

const RATES: readonly Template[] = [
  {
    kind: "machines",
    texts: [
      "A machine makes {a} {item} an hour. How many {item} do {b} machines make in {c} hours?",
      "{b} workers each make {a} {item} an hour. How many {item} do they make in {c} hours?",
    ],
    expression: "a * b * c",
    draws: { a: [12, 59], b: [3, 19], c: [3, 19] },
  },
  {
    kind: "wages",
    texts: [
      "{name} earns {a} dollars an hour and works {b} hours. Then {name} spends {c} dollars. How many dollars are left?",
      "For each of {b} days {name} gets {a} dollars. The train costs {c} dollars. How many dollars does {name} keep?",
    ],
    expression: "a * b - c",
    draws: { a: [12, 59], b: [5, 39], c: [11, 55] },
  },
  {
    kind: "tank",
    texts: [
      "A tank holds {a} litres. {b} litres flow in every minute. How many litres are in it after {c} minutes?",
      "A pool has {a} litres of water and gets {b} litres each hour. How many litres has it after {c} hours?",
    ],
    expression: "a + b * c",
    draws: { a: [111, 999], b: [12, 99], c: [3, 29] },
  },
];

const AGES: readonly Template[] = [
  {
    kind: "age-times",
    texts: [
      "{name} is {a} years old. The {place} is {b} times as old and {c} years more. How old is the {place}?",
      "A tree is {b} times as old as {name}, who is {a}, plus {c} years. How old is the tree?",
    ],
    expression: "a * b + c",
    draws: { a: [12, 69], b: [3, 19], c: [11, 99] },
  },
  {
    kind: "age-difference",
    texts: [
      "{name} is {a} years old and {other} is {b} years younger. What is {c} times the age of {other}?",
      "{other} is {b} years younger than {name}, who is {a}. The {place} is {c} times as old as {other}. How old is it?",
    ],
    expression: "(a - b) * c",
    draws: { b: [11, 39], q: [12, 59], a: "b + q", c: [3, 19] },
  },
  {
    kind: "dive",
    texts: [
      "A diver is {a} metres above the ground, then sinks {b} metres a minute for {c} minutes. How high is the diver now?",
      "{name} has {a} points and loses {b} points in each round. How many points has {name} after {c} rounds?",
    ],
    expression: "a - b * c",
    draws: { a: [11, 40], b: [11, 19], c: [3, 9] },
  },
];

/** Templates of tier `standard`. */
export const STANDARD_WORDS: readonly Template[] = [...SHOPPING, ...SHARING, ...TRAVEL, ...RATES, ...AGES];

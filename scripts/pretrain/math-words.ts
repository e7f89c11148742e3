/**
 * Word problems as data: a text with slots, and the expression that solves it.
 *
 * Slots: {A} {B} {C} people, {item} things; one lower-case letter is a number of the expression. `of` makes a
 * number a multiple of another, so that divisions come out even.
 */

/** One template; numbers are drawn until the value is a whole number of 0 or more. */
export type WordTemplate = {
  readonly text: string;
  readonly expression: string;
  /** Numbers that must be multiples: `{ a: "b" }` makes a = b × something. */
  readonly of?: Readonly<Record<string, string>>;
};

const t = (text: string, expression: string, of?: Readonly<Record<string, string>>): WordTemplate =>
  of ? { text, expression, of } : { text, expression };

/** One operation. */
export const ONE_STEP: readonly WordTemplate[] = [
  t("{A} has {a} {item}. {B} gives {A} {b} more. How many {item} does {A} have now?", "a + b"),
  t("{A} had {a} {item} and lost {b} of them. How many are left?", "a - b"),
  t("There are {a} boxes with {b} {item} in each box. How many {item} are there?", "a * b"),
  t("{A} shares {a} {item} equally among {b} friends. How many does each friend get?", "a / b", { a: "b" }),
  t("A shop sold {a} {item} on Monday and {b} on Tuesday. How many did it sell in all?", "a + b"),
  t("{A} is {a} years old. {B} is {b} years older. How old is {B}?", "a + b"),
  t("A train goes {a} km each hour. How far does it go in {b} hours?", "a * b"),
  t("One of the {item} costs {a} coins. What do {b} of them cost?", "a * b"),
  t("{A} read {a} pages and {B} read {b} pages. How many more pages did {A} read?", "a - b"),
  t("{a} {item} are packed in bags of {b}. How many bags are needed?", "a / b", { a: "b" }),
  t("A rope is {a} m long. A piece of {b} m is cut off. How long is the rest?", "a - b"),
  t("A room is {a} m long and {b} m wide. What is its area?", "a * b"),
];

/** Two operations. */
export const TWO_STEP: readonly WordTemplate[] = [
  t("{A} has {a} {item}, {B} has {b} and {C} has {c}. How many {item} do they have together?", "a + b + c"),
  t("{A} buys {a} bags with {b} {item} each and finds {c} more. How many {item} does {A} have?", "a * b + c"),
  t("{A} had {a} {item}, got {b} from {B} and gave {c} to {C}. How many {item} does {A} have?", "a + b - c"),
  t("There are {a} rows of {b} {item}. {c} of them are broken. How many are good?", "a * b - c"),
  t("A bus has {a} people. {b} get off and {c} get on. How many people are on the bus now?", "a - b + c"),
  t("{A} earns {a} coins a day. After {b} days {A} spends {c} coins. How many coins are left?", "a * b - c"),
  t("{A} and {B} have {a} and {b} {item}. They share them equally in {c} parts. How big is a part?", "(a + b) / c"),
  t("Each of {a} tables has {b} plates, and each plate has {c} {item}. How many {item} are there?", "a * b * c"),
  t("A farmer has {a} cows and {b} hens. Each one eats {c} kg a week. How much do they eat in a week?", "(a + b) * c"),
  t("{A} pays {a} coins for {b} {item} of the same price. What do {c} of them cost?", "a / b * c", { a: "b" }),
  t("{A} has {a} {item}. {B} has {b} times as many. How many do they have together?", "a + a * b"),
  t("A box holds {a} {item}. {A} fills {b} boxes and {B} fills {c}. How many {item} is that?", "a * (b + c)"),
  t("{A} had {a} {item}. {A} gave {b} to {B} and {c} to {C}. How many are left?", "a - b - c"),
  t("A tank holds {a} litres. {b} litres leak out each hour. How much is left after {c} hours?", "a - b * c"),
  t("Tickets cost {a} coins for adults and {b} for children. What do {c} of each cost?", "(a + b) * c"),
];

/** Three operations and more: the hard tail. */
export const THREE_STEP: readonly WordTemplate[] = [
  t("{A} buys {a} {item} at {b} coins each and {c} cups at {d} coins each. How much does {A} pay?", "a * b + c * d"),
  t("{A} had {a} {item}. {A} got {b} bags of {c} and then gave {d} to {B}. How many are left?", "a + b * c - d"),
  t(
    "{A} has {a} coins. {A} buys {b} {item} for {c} coins each and finds {d} coins. How many coins now?",
    "a - b * c + d",
  ),
  t(
    "{A}, {B} and {C} pick {a}, {b} and {c} {item}. They pack them in boxes of {d}. How many boxes?",
    "(a + b + c) / d",
  ),
  t("In each of {a} rooms stand {b} desks and {c} chairs. {d} are taken away. How many are left?", "a * (b + c) - d"),
  t("A shop had {a} {item}, sold {b}, got {c} crates of {d} {item}. How many {item} has it now?", "a - b + c * d"),
  t("{A} works {a} hours at {b} coins an hour, pays {c} for food and {d} for rent. What is left?", "a * b - c - d"),
  t("{A} has {a} {item}, {B} has {b}, {C} has {c} and a friend has {d}. How many in all?", "a + b + c + d"),
  t(
    "A garden has {a} rows of {b} trees and {c} rows of {d} bushes. {e} plants die. How many live?",
    "a * b + c * d - e",
  ),
  t("{A} runs {a} km a day for {b} days and {c} km a day for {d} days. How far is that in all?", "a * b + c * d"),
  t(
    "{A} buys {a} {item} for {b} coins each and pays with {c} notes of {d} coins. What is the change?",
    "c * d - a * b",
  ),
];

/** Things to count. */
export const ITEMS = (
  "apples books cards coins cups eggs flowers keys lamps marbles nuts pears pens plums rings shells stamps stones toys " +
  "tickets balls beads boxes cakes candles chairs hats leaves maps plates seeds shirts shoes spoons stars sweets"
).split(" ");

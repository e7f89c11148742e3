/** Words with the field's term one hover, focus or tap away. */
import { h, type Child } from "../dom.ts";

let lastId = 0;

/** `words`, with `explanation` in a small box on hover and on focus. */
export function term(words: Child, explanation: string): HTMLElement {
  lastId += 1;
  const id = `term-${String(lastId)}`;
  return h(
    "span",
    { class: "term" },
    h("button", { type: "button", class: "term-words", "aria-describedby": id }, words),
    h("span", { class: "term-box", role: "tooltip", id }, explanation),
  );
}

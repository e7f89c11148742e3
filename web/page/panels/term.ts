/** Words with the field's term one hover, focus or tap away. */
import { h, type Child } from "../dom.ts";

const MARGIN = 12;

let lastId = 0;

/** `words`, with `explanation` in a small box on hover and on focus. */
export function term(words: Child, explanation: string): HTMLElement {
  lastId += 1;
  const id = `term-${String(lastId)}`;
  const box = h("span", { class: "term-box", role: "tooltip", id }, explanation);
  const element = h(
    "span",
    { class: "term", onmouseenter: place, onfocusin: place },
    h("button", { type: "button", class: "term-words", "aria-describedby": id }, words),
    box,
  );
  return element;

  /** The box stays within the window, whatever its words are near to. */
  function place(): void {
    box.style.left = "0";
    const { right } = box.getBoundingClientRect();
    const over = right - (document.documentElement.clientWidth - MARGIN);
    if (over > 0) box.style.left = `${String(-over)}px`;
  }
}

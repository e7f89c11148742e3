/** How wide the inspector is: a column of its own, or half of the page, for two transcripts side by side or a long line of code. */
import { button } from "./button.ts";

const WIDE = "is-wide-inspector";
const CHANGED = "inspector-width";

/** Makes the inspector wide, or narrow again. */
export function widenInspector(isWide: boolean): void {
  document.body.classList.toggle(WIDE, isWide);
  document.body.dispatchEvent(new Event(CHANGED));
}

/** The button that does it by hand. */
export function createWiden(): HTMLElement {
  const wide = button({
    words: "⇤",
    look: "quiet small widen",
    name: "Wider inspector",
    hint: "Wider inspector",
    onPress: () => {
      widenInspector(!document.body.classList.contains(WIDE));
    },
  });
  const tell = (): void => {
    const isWide = document.body.classList.contains(WIDE);
    wide.textContent = isWide ? "⇥" : "⇤";
    wide.title = isWide ? "Narrower inspector, with the list of runs" : "Wider inspector";
    wide.setAttribute("aria-pressed", String(isWide));
  };
  document.body.addEventListener(CHANGED, tell);
  tell();
  return wide;
}

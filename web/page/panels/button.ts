/** Buttons: one place for how they are made, and for those that cannot be pressed but can still be asked why. */
import { h, type Child } from "../dom.ts";

/** What a button is. */
export type ButtonOptions = {
  readonly words: Child;
  /** Classes beside `button`, such as `small quiet`. */
  readonly look?: string;
  /** What it does, on hover. */
  readonly hint?: string;
  /** Its name for screen readers, where its words are a sign. */
  readonly name?: string;
  readonly onPress: () => void;
};

/** A button; while `setReason` has given it a reason, pressing it does nothing. */
export function button({ words, look = "", hint = "", name, onPress }: ButtonOptions): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: `button ${look}`.trim(),
      "data-hint": hint,
      title: hint,
      "aria-label": name,
      onclick: (event) => {
        if ((event.currentTarget as Element).getAttribute("aria-disabled") !== "true") onPress();
      },
    },
    words,
  );
}

/** Switches `element` off for `reason`, or on where that is empty. It stays reachable, so that the reason can be read. */
export function setReason(element: HTMLButtonElement, reason: string): void {
  element.setAttribute("aria-disabled", String(reason !== ""));
  element.title = reason === "" ? (element.dataset["hint"] ?? "") : reason;
  if (element.title === "") element.removeAttribute("aria-description");
  else element.setAttribute("aria-description", element.title);
}

/** A few choices side by side, of which one holds. */
import { h } from "../dom.ts";

/** What `segments` needs. */
export type SegmentOptions<T extends string> = {
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly words: string; readonly hint?: string }[];
  readonly onChoose: (value: T) => void;
};

let lastId = 0;

/** The choices as radio buttons that look like one control; the first one holds at the start. */
export function segments<T extends string>({ label, choices, onChoose }: SegmentOptions<T>): HTMLElement {
  lastId += 1;
  const name = `segments-${String(lastId)}`;
  return h(
    "fieldset",
    { class: "segments" },
    h("legend", { class: "visually-hidden" }, label),
    choices.map(({ value, words, hint }, i) =>
      h(
        "label",
        { title: hint },
        h("input", {
          type: "radio",
          name,
          value,
          checked: i === 0,
          onchange: () => {
            onChoose(value);
          },
        }),
        h("span", {}, words),
      ),
    ),
  );
}

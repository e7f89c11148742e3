/** A list of equal rows of which only those in view exist, so that ten thousand rollouts cost as much as twenty. */
import { h } from "../dom.ts";

const SPARE = 6;

/** A virtual list of `T`. */
export type VirtualList<T> = {
  readonly element: HTMLElement;
  readonly show: (items: readonly T[], selected: number) => void;
};

/** What a list needs to know. */
export type VirtualListOptions<T> = {
  readonly label: string;
  /** Height of a row in CSS pixels. */
  readonly rowHeight: number;
  readonly drawRow: (item: T, index: number) => Node;
  readonly onSelect: (item: T, index: number) => void;
};

let lastId = 0;

/** A list box that is worked with the arrow keys. */
export function createVirtualList<T>({ label, rowHeight, drawRow, onSelect }: VirtualListOptions<T>): VirtualList<T> {
  lastId += 1;
  const prefix = `row-${String(lastId)}-`;
  let items: readonly T[] = [];
  let selected = -1;
  const spacer = h("div", { class: "virtual-spacer" });
  const element = h("div", { class: "virtual-list", role: "listbox", tabindex: "0", "aria-label": label }, spacer);
  const draw = (): void => {
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - SPARE);
    const last = Math.min(items.length, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + SPARE);
    spacer.style.height = `${String(items.length * rowHeight)}px`;
    spacer.replaceChildren(
      ...items.slice(first, last).map((item, i) => {
        const index = first + i;
        return h(
          "div",
          {
            id: `${prefix}${String(index)}`,
            class: "virtual-row",
            role: "option",
            "aria-selected": String(index === selected),
            "aria-posinset": index + 1,
            "aria-setsize": items.length,
            style: `top:${String(index * rowHeight)}px;height:${String(rowHeight)}px`,
            onclick: () => {
              select(index);
            },
          },
          drawRow(item, index),
        );
      }),
    );
    if (selected >= first && selected < last)
      element.setAttribute("aria-activedescendant", `${prefix}${String(selected)}`);
    else element.removeAttribute("aria-activedescendant");
  };
  const select = (index: number): void => {
    const item = items[index];
    if (item === undefined) return;
    selected = index;
    reveal();
    draw();
    onSelect(item, index);
  };
  const reveal = (): void => {
    const top = selected * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  };
  element.addEventListener("scroll", draw, { passive: true });
  element.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(element.clientHeight / rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -items.length,
      End: items.length,
    };
    const by = moves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    select(Math.min(items.length - 1, Math.max(0, selected + by)));
  });
  new ResizeObserver(draw).observe(element);
  return {
    element,
    show: (next, index) => {
      if (next !== items) element.scrollTop = 0;
      items = next;
      selected = index;
      if (index >= 0) reveal();
      draw();
    },
  };
}

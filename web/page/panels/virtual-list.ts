/**
 * A list of equal rows of which only those in view exist, so that ten thousand rollouts cost as much as twenty. Rows that
 * stay in view stay as they are, and the list knows its height and place from what the browser tells it: to ask for them
 * would have the page laid out anew for each answer.
 */
import { h } from "../dom.ts";

/** Rows beyond each edge, so that scrolling by a little shows no gap. */
const SPARE = 3;

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
  let [top, height] = [0, 0];
  const spacer = h("div", { class: "virtual-spacer" });
  const element = h("div", { class: "virtual-list", role: "listbox", tabindex: "0", "aria-label": label }, spacer);
  const rows = createRows<T>(spacer, (item, index) => {
    const place = `top:${String(index * rowHeight)}px;height:${String(rowHeight)}px`;
    const onclick = (): void => {
      select(index);
    };
    const names = { id: `${prefix}${String(index)}`, class: "virtual-row", role: "option", "aria-posinset": index + 1 };
    return h("div", { ...names, style: place, onclick }, drawRow(item, index));
  });
  const draw = (): void => {
    const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
    const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + SPARE);
    rows.draw(items, { first, last, selected });
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
  const scrollTo = (place: number): void => {
    if (place === top) return;
    top = place;
    element.scrollTop = place;
  };
  const reveal = (): void => {
    const start = selected * rowHeight;
    if (start < top) scrollTo(start);
    else if (height > 0 && start + rowHeight > top + height) scrollTo(start + rowHeight - height);
  };
  const follow = (): void => {
    if (element.scrollTop === top) return;
    top = element.scrollTop;
    draw();
  };
  element.addEventListener("scroll", follow, { passive: true });
  element.addEventListener("keydown", (event) => {
    const by = moveOf(event.key, { page: Math.max(1, Math.floor(height / rowHeight) - 1), count: items.length });
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    select(Math.min(items.length - 1, Math.max(0, selected + by)));
  });
  new ResizeObserver(([entry]) => {
    const next = entry?.contentRect.height ?? 0;
    if (next === height) return;
    height = next;
    if (selected >= 0) reveal();
    draw();
  }).observe(element);
  return {
    element,
    show: (next, index) => {
      const isNew = next !== items;
      if (!isNew && index === selected) return;
      items = next;
      selected = index;
      if (isNew) {
        spacer.style.height = `${String(items.length * rowHeight)}px`;
        scrollTo(0);
      }
      if (index >= 0) reveal();
      draw();
    },
  };
}

/** How far a key moves the selection, where it does. */
function moveOf(key: string, { page, count }: { readonly page: number; readonly count: number }): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  return moves[key];
}

type Stretch = { readonly first: number; readonly last: number; readonly selected: number };

/** The rows that exist: those from `first` up to `last`. */
function createRows<T>(
  spacer: HTMLElement,
  createRow: (item: T, index: number) => HTMLElement,
): { readonly draw: (items: readonly T[], stretch: Stretch) => void } {
  const rows = new Map<number, { readonly item: T; readonly element: HTMLElement }>();
  const rowOf = (item: T, index: number): HTMLElement => {
    const known = rows.get(index);
    if (known !== undefined) return known.element;
    const element = createRow(item, index);
    rows.set(index, { item, element });
    spacer.insertBefore(element, rows.get(index + 1)?.element ?? null);
    return element;
  };
  return {
    draw: (items, { first, last, selected }) => {
      for (const [index, { item, element }] of rows) {
        if (index >= first && index < last && items[index] === item) continue;
        element.remove();
        rows.delete(index);
      }
      // From the last one up, since each stands before its follower: a screen reader reads them as they stand.
      for (let index = last - 1; index >= first; index -= 1) {
        const item = items[index];
        if (item === undefined) continue;
        const row = rowOf(item, index);
        setAttribute(row, "aria-selected", String(index === selected));
        setAttribute(row, "aria-setsize", String(items.length));
      }
    },
  };
}

/** Sets an attribute where it differs, so that a row that did not change needs no drawing. */
function setAttribute(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

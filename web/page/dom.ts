/**
 * The page builds its elements with one function: `h` makes an element from its name, its properties and its children.
 * No framework: panels are few, each redraws itself from the state, and the heavy parts (curves, editor, board) own their
 * own drawing anyway.
 */

/** What may stand inside an element; `null` and `false` stand for nothing. */
export type Child = Node | string | number | null | undefined | false | readonly Child[];

type Handlers = {
  readonly [K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K]) => void;
};

/** Properties of `h`: `class`, `data-*`, `aria-*` and other attributes, and handlers by `on` and the event's name. */
export type Props = Handlers & {
  readonly [attribute: string]: unknown;
};

/** An element called `tag`. An attribute that is `undefined` or `false` is left out; `true` is set as an empty one. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setProps(element, props);
  append(element, children);
  return element;
}

/** As `h`, for SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setProps(element, props);
  append(element, children);
  return element;
}

/** Puts `children` in the place of whatever `element` holds. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** Shows or hides `element`. */
export function toggle(element: HTMLElement, isShown: boolean): void {
  element.hidden = !isShown;
}

/** Sets the text of `element` where it differs, so that a screen reader hears only changes. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function setProps(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
      continue;
    }
    element.setAttribute(name, value === true ? "" : toText(value));
  }
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (isList(child)) append(element, child);
    else element.append(typeof child === "number" ? String(child) : child);
  }
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : JSON.stringify(value);
}

/** The keys of the page and what they ask for. */

/** What a key press is about, as far as the page cares. */
export type KeyPress = {
  readonly key: string;
  readonly hasModifier: boolean;
  /** Whether the focus is where text is typed. */
  readonly isTyping: boolean;
  /** Whether the focus is on something that the space bar presses. */
  readonly isOnButton: boolean;
};

/** What a key asks for. */
export type KeyCommand =
  | { readonly kind: "run-or-pause" | "step" | "help" }
  | { readonly kind: "tab"; readonly index: number }
  | { readonly kind: "move"; readonly by: number };

/** The command of `press`; undefined where the key is not the page's. */
export function commandOf({ key, hasModifier, isTyping, isOnButton }: KeyPress): KeyCommand | undefined {
  if (hasModifier || isTyping) return undefined;
  if (key === " ") return isOnButton ? undefined : { kind: "run-or-pause" };
  if (key === "s" || key === "S") return { kind: "step" };
  if (key === "?") return { kind: "help" };
  if (key === "ArrowLeft" || key === "ArrowRight") return { kind: "move", by: key === "ArrowLeft" ? -1 : 1 };
  const index = ["1", "2", "3"].indexOf(key);
  return index < 0 ? undefined : { kind: "tab", index };
}

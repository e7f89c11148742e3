import { describe, expect, test } from "vitest";
import { commandOf } from "../../../web/page/model/keys.ts";

const press = (key: string, more = {}) =>
  commandOf({ key, hasModifier: false, isTyping: false, isOnButton: false, ...more });

describe("commandOf", () => {
  test("the keys of the page mean what the list of keys says", () => {
    expect(press(" ")).toEqual({ kind: "run-or-pause" });
    expect(press("s")).toEqual({ kind: "step" });
    expect(press("2")).toEqual({ kind: "tab", index: 1 });
    expect(press("ArrowLeft")).toEqual({ kind: "move", by: -1 });
    expect(press("?")).toEqual({ kind: "help" });
    expect(press("x")).toBeUndefined();
  });

  test("no key is taken from a field, from a browser shortcut, or the space bar from a button", () => {
    expect(press("s", { isTyping: true })).toBeUndefined();
    expect(press("1", { hasModifier: true })).toBeUndefined();
    expect(press(" ", { isOnButton: true })).toBeUndefined();
    expect(press("s", { isOnButton: true })).toEqual({ kind: "step" });
  });
});

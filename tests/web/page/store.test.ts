import { describe, expect, test } from "vitest";
import { createStore } from "../../../web/page/store.ts";

describe("createStore", () => {
  test("watchers hear once of many changes, and only of those that they picked", () => {
    const planned: (() => void)[] = [];
    const store = createStore({ a: 0, b: 0 }, (work) => planned.push(work));
    const heard: number[] = [];
    store.watch(
      ({ a }) => [a],
      ([a]) => heard.push(a),
    );
    for (let i = 1; i <= 100; i += 1) store.set({ a: i, b: i });
    expect(planned).toHaveLength(1);
    planned.pop()?.();
    store.set({ b: -1 });
    planned.pop()?.();
    expect(heard).toEqual([0, 100]);
  });

  test("a watcher that ended hears nothing more", () => {
    const planned: (() => void)[] = [];
    const store = createStore({ a: 0 }, (work) => planned.push(work));
    const heard: number[] = [];
    const end = store.watch(
      ({ a }) => [a],
      ([a]) => heard.push(a),
    );
    end();
    store.set({ a: 1 });
    planned.pop()?.();
    expect(heard).toEqual([0]);
  });
});

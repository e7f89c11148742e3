import { describe, expect, test } from "vitest";
import { createStore, type Pace } from "../../../web/page/store.ts";

/** A pace that plans rounds and breaths for the test to take, with a clock that the test moves. */
function handPace(): { pace: Pace; planned: (() => void)[]; breaths: (() => void)[]; pass: (ms: number) => void } {
  const planned: (() => void)[] = [];
  const breaths: (() => void)[] = [];
  let now = 0;
  const pace: Pace = {
    later: (work) => planned.push(work),
    breathe: (work) => breaths.push(work),
    clock: () => now,
  };
  return {
    pace,
    planned,
    breaths,
    pass: (ms) => {
      now += ms;
    },
  };
}

describe("createStore", () => {
  test("watchers hear once of many changes, and only of those that they picked", () => {
    const { pace, planned } = handPace();
    const store = createStore({ a: 0, b: 0 }, pace);
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
    const { pace, planned } = handPace();
    const store = createStore({ a: 0 }, pace);
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

  test("a round goes on in another task when its watchers have drawn for long, and shows one state to all of them", () => {
    const { pace, planned, breaths, pass } = handPace();
    const store = createStore({ a: 0 }, pace);
    const heard: string[] = [];
    for (const name of ["first", "second", "third"])
      store.watch(
        ({ a }) => [a],
        ([a]) => {
          pass(3);
          heard.push(`${name} ${String(a)}`);
        },
      );
    heard.length = 0;
    store.set({ a: 1 });
    planned.pop()?.();
    expect(heard).toEqual(["first 1", "second 1"]);
    store.set({ a: 2 });
    breaths.pop()?.();
    expect(heard).toEqual(["first 1", "second 1", "third 1"]);
    planned.pop()?.();
    expect(heard.slice(3)).toEqual(["first 2", "second 2"]);
    expect(breaths).toHaveLength(1);
    breaths.pop()?.();
    expect(heard.slice(5)).toEqual(["third 2"]);
    expect(planned).toHaveLength(0);
  });

  test("a watcher that throws ends its round, and the next one is drawn all the same", () => {
    const { pace, planned } = handPace();
    const store = createStore({ a: 0 }, pace);
    const heard: number[] = [];
    store.watch(
      ({ a }) => [a],
      ([a]) => {
        if (a === 1) throw new RangeError("cannot draw 1");
        heard.push(a);
      },
    );
    store.set({ a: 1 });
    expect(() => planned.pop()?.()).toThrow("cannot draw 1");
    store.set({ a: 2 });
    planned.pop()?.();
    expect(heard).toEqual([0, 2]);
  });

  test("what is not in view is drawn when it is again, and only if it changed meanwhile", () => {
    const { pace, planned } = handPace();
    const store = createStore({ isShown: false, a: 0 }, pace);
    const heard: number[] = [];
    store.watch(
      ({ isShown, a }) => (isShown ? [a] : undefined),
      ([a]) => heard.push(a),
    );
    const set = (change: { isShown?: boolean; a?: number }): void => {
      store.set(change);
      planned.pop()?.();
    };
    set({ a: 1 });
    set({ isShown: true });
    set({ isShown: false });
    set({ a: 1 });
    set({ isShown: true });
    set({ isShown: false });
    set({ a: 2 });
    set({ isShown: true });
    expect(heard).toEqual([1, 2]);
  });
});

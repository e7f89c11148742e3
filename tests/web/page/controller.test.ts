/** The page's half of a run's life, against a worker whose answers and events come in a given order. */
import { expect, test } from "vitest";
import type { LabCommand, LabCommands, LabEvent } from "../../../web/protocol/messages.ts";
import { createController, type Controller } from "../../../web/page/controller.ts";
import { turnOf } from "../../../web/page/model/turn.ts";
import { FIRST_STATE, type PageState } from "../../../web/page/state.ts";
import { createStore, type Store } from "../../../web/page/store.ts";
import { ProblemError, type Lab } from "../../../web/worker/port.ts";

/** Answers by command; a command without one is refused. */
type Answers = { readonly [C in LabCommand]?: (tell: (event: LabEvent) => void) => unknown };

type Page = Controller & { readonly store: Store<PageState>; readonly asked: readonly LabCommand[] };

function openPage(answers: Answers): Page {
  const store = createStore<PageState>(
    {
      ...FIRST_STATE,
      boot: { kind: "ready", report: {} as LabCommands["boot"]["result"] },
      storage: { usage: 0, quota: 1, isPersistent: true },
    },
    { later: queueMicrotask, breathe: queueMicrotask, clock: () => 0 },
  );
  const asked: LabCommand[] = [];
  let hear: (event: LabEvent) => void = () => undefined;
  const lab: Lab = {
    call: async (command) => {
      asked.push(command);
      await Promise.resolve();
      const answer = answers[command];
      if (!answer) throw new ProblemError({ kind: "busy", what: `No ${command}.`, safe: "", next: "" });
      return answer(hear) as never;
    },
    listen: (listener) => {
      hear = listener;
      return () => undefined;
    },
    close: () => undefined,
  };
  const recorded = { show: () => undefined, replay: () => undefined, halt: () => undefined };
  const browser = { persist: () => Promise.resolve(true), save: () => undefined };
  return { ...createController({ store, lab, recorded, browser }), store, asked };
}

const record = (isComplete: boolean): unknown => ({ curve: [], phases: [], steps: [], candidates: [], isComplete });
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const STATUS: LabEvent = { kind: "status", run: "r", status: "running" };
const OVER: readonly LabEvent[] = [
  { kind: "status", run: "r", status: "idle" },
  { kind: "done", run: "r", summary: {} as never },
];

test.each(["run", "resume"] as const)(
  "%s shows a run as finished when it was over before the answer came",
  async (action) => {
    let isOver = false;
    const begin = (tell: (event: LabEvent) => void): unknown => {
      tell(STATUS);
      isOver = true;
      OVER.forEach(tell);
      return { run: "r" };
    };
    const page = openPage({
      startRun: begin,
      resumeRun: begin,
      readRun: () => record(isOver),
      listGroups: () => [],
    });
    page.actions[action]("r");
    await settled();
    const state = page.store.get();
    expect([state.look.run, state.active, state.status]).toEqual(["r", "", "idle"]);
    expect(turnOf(state).words).toBe("Finished");
    expect(state.notices).toEqual([]);
  },
);

test.each(["run", "resume"] as const)("%s follows a run that goes on until it is done", async (action) => {
  let say: (event: LabEvent) => void = () => undefined;
  const begin = (tell: (event: LabEvent) => void): unknown => {
    say = tell;
    tell(STATUS);
    return { run: "r" };
  };
  let isOver = false;
  const page = openPage({ startRun: begin, resumeRun: begin, readRun: () => record(isOver), listGroups: () => [] });
  page.actions[action]("r");
  await settled();
  expect([page.store.get().active, page.store.get().status]).toEqual(["r", "running"]);
  isOver = true;
  OVER.forEach(say);
  await settled();
  expect(turnOf(page.store.get()).words).toBe("Finished");
});

test("step says once what is wrong when no run could be started", async () => {
  const page = openPage({});
  page.actions.step();
  await settled();
  expect(page.asked).toEqual(["startRun"]);
  expect(page.store.get().notices.map(({ what }) => what)).toEqual(["No startRun."]);
  expect(page.store.get().status).toBe("idle");
});

/** What a person looks at: settings, points, groups, rollouts, candidates. Nothing here asks the worker. */
import { selectedPoint, type Actions } from "./state.ts";
import { setLook, type Tools } from "./tools.ts";

/** The actions of this file. */
export type LookActions = Pick<
  Actions,
  | "choose"
  | "override"
  | "look"
  | "selectPoint"
  | "movePoint"
  | "selectStep"
  | "openGroup"
  | "openRollout"
  | "openCandidate"
>;

/** Their implementation. */
export function createLookActions(tools: Tools): LookActions {
  const { store } = tools;
  const openPoint = (): void => {
    const state = store.get();
    const at = selectedPoint(state);
    const point = at === undefined ? undefined : state.view.curve[at];
    const found =
      point &&
      state.groups.findLast(
        ({ use, split, step, harness }) =>
          use === "evaluation" && split === "test" && step === point.step && harness === point.harness,
      );
    // A state that was measured before is not measured again, so its point has no rollouts of its own.
    const opened = found ?? (point && state.group === "" ? state.groups.at(-1) : undefined);
    if (opened !== undefined && opened.group !== state.group) store.set({ group: opened.group, ref: "" });
    // Before the first point there is the harness that every run begins with.
    if (point !== undefined || state.candidate === "") store.set({ candidate: point?.harness ?? "h0" });
  };
  const selectPoint = (index: number | undefined): void => {
    setLook(tools, { at: index });
    openPoint();
  };
  // What is shown beside the curve follows the newest point until one is chosen.
  store.watch(
    ({ groups, view }) => [groups, view.curve],
    () => {
      const { look, group } = store.get();
      if (look.at === undefined || group === "") openPoint();
      else if (store.get().candidate === "") store.set({ candidate: "h0" });
    },
  );
  return {
    choose: (change) => {
      store.set({ settings: { ...store.get().settings, ...change } });
    },
    override: (path, value) => {
      const { settings } = store.get();
      const others = Object.fromEntries(Object.entries(settings.overrides).filter(([known]) => known !== path));
      store.set({ settings: { ...settings, overrides: value === undefined ? others : { ...others, [path]: value } } });
    },
    look: (change) => {
      setLook(tools, change);
    },
    selectPoint,
    movePoint: (by) => {
      const state = store.get();
      const at = selectedPoint(state);
      if (at === undefined) return;
      const next = Math.max(0, Math.min(state.view.curve.length - 1, at + by));
      selectPoint(next);
    },
    selectStep: (step) => {
      const found = store.get().groups.find((group) => group.use === "weights" && group.step === step);
      if (found === undefined) return;
      setLook(tools, { tab: "transcript" });
      store.set({ group: found.group, ref: "" });
    },
    openGroup: (group) => {
      store.set({ group, ref: "" });
    },
    openRollout: (ref) => {
      store.set({ ref });
    },
    openCandidate: (name) => {
      store.set({ candidate: name });
    },
  };
}

/** The transcript tab: which rollouts, the list of them, and the one that is read. */
import type { RolloutGroup, RolloutRow } from "../../protocol.ts";
import { fill, h, setText, toggle } from "../dom.ts";
import { grouped } from "../format.ts";
import type { App } from "../state.ts";
import { createReader } from "./reader.ts";
import { createVirtualList } from "./virtual-list.ts";

const ROW_HEIGHT = 32;

/** The transcript tab. */
export function createTranscript(app: App): HTMLElement {
  const { store, actions } = app;
  const picker = h("select", {
    "aria-label": "Which rollouts",
    onchange: () => {
      actions.openGroup(picker.value);
    },
  });
  const count = h("span", { class: "count" });
  const list = createVirtualList<RolloutRow>({
    label: "Rollouts",
    rowHeight: ROW_HEIGHT,
    drawRow,
    onSelect: ({ ref }) => {
      actions.openRollout(ref);
    },
  });
  store.watch(
    ({ groups, group }) => [groups, group],
    ([groups, group]) => {
      drawPicker(picker, groups, group);
    },
  );
  const show = (rows: readonly RolloutRow[]): void => {
    const at = rows.findIndex(({ ref }) => ref === store.get().ref);
    list.show(rows, at);
    const solved = rows.filter(({ reward }) => reward > 0.5).length;
    setText(count, rows.length === 0 ? "" : `${grouped(solved)} of ${grouped(rows.length)} right`);
    list.element.classList.remove("is-waiting");
    toggle(list.element, rows.length > 0);
  };
  const wait = (): void => {
    setText(count, "reading …");
    list.element.classList.add("is-waiting");
  };
  watchRows(app, { show, wait });
  return h(
    "div",
    { class: "transcript" },
    h("div", { class: "picker-row" }, picker, count),
    list.element,
    createReader(app),
  );
}

type RowsView = {
  readonly show: (rows: readonly RolloutRow[]) => void;
  /** Says that the rows shown are not yet those of the chosen group. */
  readonly wait: () => void;
};

/** Reads the rows of the chosen group whenever it changes or grows. */
function watchRows({ store, actions }: App, { show, wait }: RowsView): void {
  let turn = 0;
  let rows: readonly RolloutRow[] = [];
  store.watch(
    ({ source, group, groups }) => [source, group, groups.find((known) => known.group === group)?.rollouts],
    ([source, group]) => {
      const mine = ++turn;
      if (source === undefined || group === "") {
        rows = [];
        show(rows);
        return;
      }
      wait();
      source.listRollouts(group).then(
        (found) => {
          if (mine !== turn) return;
          rows = found;
          const { ref } = store.get();
          if (!rows.some((row) => row.ref === ref)) actions.openRollout(pickFirst(rows)?.ref ?? "");
          show(rows);
        },
        (error: unknown) => {
          if (mine === turn) actions.report(error);
        },
      );
    },
  );
  store.watch(
    ({ ref }) => [ref],
    () => {
      show(rows);
    },
  );
}

/** The first one that used a tool and was right says most; else the first right one; else the first. */
function pickFirst(rows: readonly RolloutRow[]): RolloutRow | undefined {
  return rows.find((row) => row.reward > 0.5 && row.toolCalls > 0) ?? rows.find((row) => row.reward > 0.5) ?? rows[0];
}

function drawRow(row: RolloutRow): Node {
  const isRight = row.reward > 0.5;
  return h(
    "span",
    { class: "rollout-row" },
    h(
      "span",
      { class: `mark ${isRight ? "is-right" : "is-wrong"}`, role: "img", "aria-label": isRight ? "right" : "wrong" },
      isRight ? "✓" : "✗",
    ),
    h("span", { class: "row-title", title: row.title }, row.title),
    row.sample === 0
      ? null
      : h("span", { class: "row-try", title: "The same task again, with other luck" }, `try ${String(row.sample + 1)}`),
    h("span", { class: "row-reason", title: row.reason }, row.reason),
    row.isAccepted ? h("span", { class: "tag weights", title: "The weights learned from it" }, "learned") : null,
  );
}

const USE_WORDS: Readonly<Record<RolloutGroup["use"], string>> = {
  weights: "To learn",
  harness: "To search",
  evaluation: "To measure",
  "by-hand": "By hand",
};

function drawPicker(picker: HTMLSelectElement, groups: readonly RolloutGroup[], chosen: string): void {
  const uses = [...new Set(groups.map(({ use }) => use))];
  fill(
    picker,
    groups.length === 0 ? h("option", { value: "" }, "No rollouts yet") : null,
    uses.map((use) =>
      h(
        "optgroup",
        { label: USE_WORDS[use] },
        groups
          .filter((group) => group.use === use)
          .map(({ group, label, rollouts, solved }) =>
            h("option", { value: group }, `${label} (${grouped(solved)} of ${grouped(rollouts)} right)`),
          ),
      ),
    ),
  );
  picker.value = chosen;
  picker.disabled = groups.length === 0;
}

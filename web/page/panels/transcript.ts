/** The transcript tab: which rollouts, the list of them, and the one that is read. */
import type { RolloutGroup, RolloutRow } from "../../protocol/rollouts.ts";
import { fill, h, setText, toggle } from "../dom.ts";
import { grouped } from "../format.ts";
import { problemOf } from "../notices.ts";
import type { App, PageState } from "../state.ts";
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
    ({ groups, group, look }) => (look.tab === "transcript" ? [groups, group] : undefined),
    ([groups, group]) => {
      drawPicker(picker, groups, group);
    },
  );
  const show = (rows: readonly RolloutRow[]): void => {
    const at = rows.findIndex(({ ref }) => ref === store.get().ref);
    toggle(list.element, rows.length > 0);
    list.show(rows, at);
    const solved = rows.filter(({ reward }) => reward > 0.5).length;
    setText(count, rows.length === 0 ? "" : `${grouped(solved)} of ${grouped(rows.length)} right`);
    list.element.classList.remove("is-waiting");
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

/** Milliseconds after which a reader is told why it takes so long. */
const PATIENCE_MS = 2000;

type Wanted = Pick<PageState, "source" | "group">;

/**
 * Reads the rows of the chosen group whenever it changes or grows. A group that grows while it is read is read once more
 * afterwards: a reading that began anew each time would never end in a run that is faster than its reader.
 */
function watchRows({ store, actions }: App, { show, wait }: RowsView): void {
  let rows: readonly RolloutRow[] = [];
  let wanted: Wanted = { source: undefined, group: "" };
  let [isReading, growth] = [false, 0];
  const take = (found: readonly RolloutRow[]): void => {
    rows = found;
    const { ref } = store.get();
    if (!rows.some((row) => row.ref === ref)) actions.openRollout(pickFirst(rows)?.ref ?? "");
    store.set({ listing: { kind: "read", count: rows.length } });
    show(rows);
  };
  const read = async (asked: Wanted): Promise<void> => {
    isReading = true;
    const before = growth;
    const tell = setTimeout(() => {
      if (asked === wanted) store.set({ listing: { kind: "reading", isLate: true } });
    }, PATIENCE_MS);
    try {
      const found = await asked.source?.listRollouts(asked.group);
      if (asked === wanted) take(found ?? []);
    } catch (error) {
      if (asked === wanted) fail(error);
    } finally {
      clearTimeout(tell);
      if (asked === wanted) isReading = false;
    }
    if (asked === wanted && growth > before) await read(asked);
  };
  const fail = (error: unknown): void => {
    rows = [];
    show(rows);
    store.set({ ref: "", listing: { kind: "failed", why: problemOf(error).what } });
  };
  store.watch(
    ({ source, group, groups, look }) =>
      look.tab === "transcript" ? [source, group, groups.find((known) => known.group === group)?.rollouts] : undefined,
    ([source, group]) => {
      const isSame = source === wanted.source && group === wanted.group;
      if (isSame && isReading) {
        growth += 1;
        return;
      }
      if (!isSame) {
        wanted = { source, group };
        isReading = false;
      }
      if (source === undefined || group === "") {
        rows = [];
        show(rows);
        store.set({ listing: { kind: "none" } });
        return;
      }
      if (!isSame) {
        wait();
        store.set({ listing: { kind: "reading", isLate: false } });
      }
      void read(wanted);
    },
  );
  store.watch(
    ({ ref, look }) => (look.tab === "transcript" ? [ref] : undefined),
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

/** The transcript tab: which rollouts, the list of them, one of them in full, or the same task before and after. */
import type { RolloutGroup, RolloutRow, RolloutView } from "../../protocol.ts";
import { fill, h, setText, toggle } from "../dom.ts";
import { grouped } from "../format.ts";
import type { App } from "../state.ts";
import type { TokenColour } from "./blocks.ts";
import { drawRollout } from "./rollout.ts";
import { segments } from "./segments.ts";
import { createVirtualList } from "./virtual-list.ts";

const ROW_HEIGHT = 32;

type Mode = "one" | "pair";

/** The transcript tab. */
export function createTranscript(app: App): HTMLElement {
  const { store, actions } = app;
  let colour: TokenColour = "probability";
  let mode: Mode = "one";
  let turn = 0;
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
  const body = h("div", { class: "rollout-body", tabindex: "-1" });
  const modes = segments<Mode>({
    label: "Show",
    choices: [
      { value: "one", words: "This one" },
      { value: "pair", words: "Before | after", hint: "The same task with the same luck, before the run and after" },
    ],
    onChoose: (value) => {
      mode = value;
      void drawBody();
    },
  });
  const colours = segments<TokenColour>({
    label: "Colour of tokens",
    choices: [
      {
        value: "probability",
        words: "How likely",
        hint: "Each piece of text that the model sampled, by its probability (p at sampling time)",
      },
      {
        value: "trained",
        words: "Learned from",
        hint: "What the weights are trained on: sampled tokens of accepted rollouts (loss mask)",
      },
    ],
    onChoose: (value) => {
      colour = value;
      void drawBody();
    },
  });
  const drawBody = async (): Promise<void> => {
    const mine = ++turn;
    const { source, ref } = store.get();
    if (source === undefined || ref === "") {
      fill(body, h("p", { class: "empty" }, emptyWords(app)));
      return;
    }
    try {
      const view = await source.readRollout(ref);
      const pair = mode === "pair" ? await readPair(app, view) : [view];
      if (mine !== turn) return;
      body.classList.toggle("is-pair", pair.length > 1);
      fill(
        body,
        pair.map((rollout, i) =>
          drawRollout(rollout, { colour, title: titleOf(app, rollout, pair.length > 1 ? i : undefined) }),
        ),
        mode === "pair" && pair.length < 2
          ? h("p", { class: "empty" }, "No other evaluation of this run kept this task.")
          : null,
      );
    } catch (error) {
      if (mine === turn) fill(body, h("p", { class: "empty" }, error instanceof Error ? error.message : String(error)));
    }
  };
  store.watch(
    ({ groups, group }) => [groups, group],
    ([groups, group]) => {
      drawPicker(picker, groups, group);
    },
  );
  watchRows(app, (rows) => {
    const at = rows.findIndex(({ ref }) => ref === store.get().ref);
    list.show(rows, at);
    const solved = rows.filter(({ reward }) => reward > 0.5).length;
    setText(count, rows.length === 0 ? "" : `${grouped(solved)} of ${grouped(rows.length)} right`);
    toggle(list.element, rows.length > 0);
  });
  store.watch(
    ({ ref, source, groups }) => [ref, source, groups.length],
    () => {
      void drawBody();
    },
  );
  return h(
    "div",
    { class: "transcript" },
    h("div", { class: "picker-row" }, picker, count),
    list.element,
    h("div", { class: "row wrap tools" }, modes, colours),
    body,
  );
}

function emptyWords({ store }: App): string {
  const { view, recorded } = store.get();
  if (view.config === undefined) return "Rollouts appear here: what the model was asked, wrote and got.";
  return recorded !== "" ? "Choose a point on the curve." : "The first rollouts appear here as soon as they are done.";
}

/** Reads the rows of the chosen group whenever it changes or grows. */
function watchRows({ store, actions }: App, show: (rows: readonly RolloutRow[]) => void): void {
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

async function readPair({ store }: App, view: RolloutView): Promise<RolloutView[]> {
  const { source } = store.get();
  if (source === undefined) return [view];
  const found = await source.findTask(view.task, view.sample);
  const first = found[0];
  const isFirst = first?.row.ref === view.ref;
  const other = isFirst ? found.at(-1) : first;
  if (other === undefined || other.row.ref === view.ref) return [view];
  const partner = await source.readRollout(other.row.ref);
  return isFirst ? [view, partner] : [partner, view];
}

function titleOf({ store }: App, view: RolloutView, side: number | undefined): string {
  const label = store.get().groups.find(({ group }) => group === view.group)?.label ?? "";
  if (side === undefined) return label;
  return `${side === 0 ? "Before" : "After"}: ${label}`;
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
    h("span", { class: "row-title" }, row.title),
    h("span", { class: "row-reason" }, row.reason),
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

/** One rollout in full, or the same task before the run and after it, with its tokens coloured in one of two ways. */
import type { RolloutView } from "../../protocol/rollouts.ts";
import { fill, h } from "../dom.ts";
import { describeReading, LATE } from "../model/reading.ts";
import { problemOf } from "../notices.ts";
import type { App, PageState } from "../state.ts";
import { drawLegend, type TokenColour } from "./blocks.ts";
import { widenInspector } from "./inspector-width.ts";
import { drawRollout } from "./rollout.ts";
import { segments } from "./segments.ts";

type Mode = "one" | "pair";

/** Milliseconds after which a reader is told why it takes so long. */
const PATIENCE_MS = 2000;

/** The reader under the list. */
export function createReader(app: App): HTMLElement {
  const { store } = app;
  let colour: TokenColour = "probability";
  let mode: Mode = "one";
  let turn = 0;
  const legend = h("div", {});
  const body = h("div", { class: "rollout-body" });
  const draw = async (): Promise<void> => {
    const mine = ++turn;
    const { source, ref } = store.get();
    body.classList.remove("is-waiting");
    if (source === undefined || ref === "") {
      fill(legend);
      fill(body, note(describeReading(store.get())));
      return;
    }
    // What was there stays until the new one has come, paler, unless that takes long enough to ask why.
    body.classList.add("is-waiting");
    const tell = setTimeout(() => {
      if (mine === turn) fill(body, note(LATE));
    }, PATIENCE_MS);
    try {
      const view = await source.readRollout(ref);
      const shown = mode === "pair" ? await readPair(app, view) : [view];
      if (mine !== turn) return;
      const isPair = shown.length > 1;
      body.classList.toggle("is-pair", isPair);
      const title = (rollout: RolloutView, i: number): string => titleOf(app, rollout, isPair ? i : undefined);
      fill(legend, drawLegend(colour, shown.some(hasTokens)));
      fill(
        body,
        shown.map((rollout, i) => drawRollout(rollout, { colour, title: title(rollout, i) })),
        mode === "pair" && !isPair && note("No other evaluation of this run kept this task."),
      );
    } catch (error) {
      if (mine === turn) fill(body, note(`This rollout could not be read: ${problemOf(error).what}`));
    } finally {
      clearTimeout(tell);
      if (mine === turn) body.classList.remove("is-waiting");
    }
  };
  store.watch(
    (state) => (state.look.tab === "transcript" ? drawnFrom(state, mode) : undefined),
    () => {
      void draw();
    },
  );
  const modes = createModes((value) => {
    mode = value;
    // Side by side needs room; where the page has one column only, one stands under the other.
    if (mode === "pair") widenInspector(true);
    void draw();
  });
  const colours = createColours((value) => {
    colour = value;
    void draw();
  });
  return h("div", {}, h("div", { class: "row wrap tools" }, modes, colours), legend, body);
}

function hasTokens({ steps }: RolloutView): boolean {
  return steps.some((step) => step.kind === "chat" && step.tokens.length > 0);
}

function note(text: string): HTMLElement {
  return h("p", { class: "empty" }, text);
}

function createModes(onChoose: (mode: Mode) => void): HTMLElement {
  return segments<Mode>({
    label: "Show",
    choices: [
      { value: "one", words: "This one" },
      { value: "pair", words: "Before | after", hint: "The same task with the same luck, before the run and after" },
    ],
    onChoose,
  });
}

function createColours(onChoose: (colour: TokenColour) => void): HTMLElement {
  return segments<TokenColour>({
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
    onChoose,
  });
}

/** What a drawing depends on: a run that goes on beside it does not have the same words drawn again. */
function drawnFrom(state: PageState, mode: Mode): unknown[] {
  const { ref, source, groups, group } = state;
  return [
    ref,
    source,
    groups.find((known) => known.group === group)?.label,
    mode === "pair" && groups.length,
    ref === "" && describeReading(state),
  ];
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
  const group = store.get().groups.find((known) => known.group === view.group);
  if (side === undefined || group === undefined) return group?.label ?? "";
  return group.phase === 0 ? "Before anything was learned" : `After phase ${String(group.phase)}`;
}

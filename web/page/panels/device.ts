/** Where the model runs: what was tried, how fast it was, why this one, and a choice of another. */
import type { DeviceTrial } from "../../protocol/lab.ts";
import { fill, h } from "../dom.ts";
import { bytes, speed } from "../format.ts";
import type { App, PageState } from "../state.ts";

const NAMES: Readonly<Record<DeviceTrial["choice"], string>> = {
  webgpu: "WebGPU (graphics card)",
  "wasm-threads": "WASM with threads (processor)",
  wasm: "WASM, one thread (processor)",
};

/** The panel under the device chip. */
export function createDevicePanel({ store, actions }: App): HTMLElement {
  const body = h("div");
  const panel = h(
    "div",
    { id: "device-panel", class: "popover", popover: "auto", role: "dialog", "aria-label": "Where it runs" },
    body,
  );
  const draw = (): void => {
    fill(
      body,
      drawDevice(store.get(), (device) => {
        actions.choose({ device });
      }),
    );
  };
  store.watch(({ boot, settings, storage, isOnline }) => [boot, settings.device, storage, isOnline], draw);
  return panel;
}

function drawDevice(state: PageState, onChoose: (device: string) => void): (HTMLElement | null)[] {
  const { boot, settings } = state;
  if (boot.kind !== "ready")
    return [h("h2", {}, "Where it runs"), h("p", {}, boot.kind === "starting" ? `${boot.what} …` : boot.problem.what)];
  const { report } = boot;
  const choices = ["auto", ...report.device.trials.map(({ choice }) => choice)];
  return [
    h("h2", {}, "Where it runs"),
    h("p", {}, report.device.reason),
    h(
      "fieldset",
      { class: "device-choices" },
      h("legend", {}, "Use"),
      choices.map((choice) => drawChoice(choice, { state, onChoose })),
    ),
    settings.device === "auto" || settings.device === report.device.choice
      ? null
      : h("p", { class: "quiet" }, "The page loads anew with this choice."),
    report.isCrossOriginIsolated
      ? null
      : h("p", { class: "quiet" }, "This host sends no COOP and COEP headers, so the processor runs on one thread."),
    drawStorage(state),
    state.isOnline
      ? null
      : h("p", { class: "quiet" }, "You are offline. Everything that is needed is on this machine."),
  ];
}

function drawChoice(
  choice: string,
  { state, onChoose }: { readonly state: PageState; readonly onChoose: (device: string) => void },
): HTMLElement {
  const trials = state.boot.kind === "ready" ? state.boot.report.device.trials : [];
  const trial = trials.find((known) => known.choice === choice);
  const isUsable = choice === "auto" || trial?.isUsable === true;
  const figure = trial?.tokensPerSecond === undefined ? "" : speed(trial.tokensPerSecond);
  return h(
    "label",
    { class: `radio${isUsable ? "" : " is-off"}` },
    h("input", {
      type: "radio",
      name: "device",
      value: choice,
      checked: state.settings.device === choice,
      disabled: !isUsable,
      onchange: () => {
        onChoose(choice);
      },
    }),
    h(
      "span",
      {},
      h("b", {}, trial === undefined ? "The fastest" : NAMES[trial.choice]),
      figure === "" ? null : h("span", { class: "figure" }, ` ${figure}`),
      trial === undefined || trial.detail === "" ? null : h("small", {}, trial.detail),
    ),
  );
}

function drawStorage({ storage }: PageState): HTMLElement | null {
  if (storage?.usage === undefined) return null;
  const of = storage.quota === undefined ? "" : ` of ${bytes(storage.quota)}`;
  const kept = storage.isPersistent
    ? "The browser promised to keep them."
    : "The browser may remove them when space runs out; export what matters.";
  return h("p", { class: "quiet" }, `Runs take ${bytes(storage.usage)}${of} on this machine. ${kept}`);
}

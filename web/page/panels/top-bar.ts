/** The bar at the top: what to run, the four buttons, where it runs, the theme. */
import { CONDITIONS, PRESETS } from "../../../src/index.ts";
import { fill, h, setText } from "../dom.ts";
import { speed } from "../format.ts";
import { THEMES, type Settings, type Theme } from "../model/address.ts";
import { CONDITION_WORDS } from "../model/knobs.ts";
import { DOMAIN_NAMES, PRESET_WORDS } from "../model/names.ts";
import { canPause, canRun, canStep, canStop, runLabel, type Allowed } from "../model/controls.ts";
import type { App, BootState } from "../state.ts";
import { createDevicePanel } from "./device.ts";

/** The top bar. */
export function createTopBar(app: App): HTMLElement {
  return h(
    "header",
    { class: "top-bar" },
    h("h1", { class: "brand" }, "Spyhop"),
    createChoices(app),
    createButtons(app),
    createDeviceChip(app),
    createThemeButton(app),
  );
}

function createChoices({ store, actions }: App): HTMLElement {
  const domain = select("Tasks", (value) => {
    actions.choose({ domain: value });
  });
  const condition = select("What takes turns", (value) => {
    actions.choose({ condition: value as Settings["condition"] });
  });
  const preset = select("Size", (value) => {
    actions.choose({ preset: value as Settings["preset"], overrides: {} });
  });
  const seed = h("input", {
    id: "seed",
    type: "number",
    min: 0,
    step: 1,
    inputmode: "numeric",
    oninput: () => {
      const value = seed.valueAsNumber;
      const isGood = Number.isSafeInteger(value) && value >= 0;
      seed.setAttribute("aria-invalid", String(!isGood));
      if (isGood) actions.choose({ seed: value });
    },
  });
  condition.input.append(
    ...CONDITIONS.map((name) =>
      h("option", { value: name, title: CONDITION_WORDS[name].hint }, CONDITION_WORDS[name].name),
    ),
  );
  preset.input.append(
    ...PRESETS.map((name) => h("option", { value: name, title: PRESET_WORDS[name].hint }, PRESET_WORDS[name].name)),
  );
  store.watch(
    ({ boot }) => [boot],
    ([boot]) => {
      const known = boot.kind === "ready" ? boot.report.domains : [];
      const names = known.length > 0 ? known.map(({ name }) => name) : [store.get().settings.domain];
      fill(
        domain.input,
        names.map((name) => h("option", { value: name }, DOMAIN_NAMES[name] ?? name)),
      );
      domain.input.value = store.get().settings.domain;
    },
  );
  store.watch(
    ({ settings }) => [settings],
    ([settings]) => {
      domain.input.value = settings.domain;
      condition.input.value = settings.condition;
      condition.input.title = CONDITION_WORDS[settings.condition].hint;
      preset.input.value = settings.preset;
      preset.input.title = PRESET_WORDS[settings.preset].hint;
      if (seed.valueAsNumber !== settings.seed && document.activeElement !== seed) seed.value = String(settings.seed);
    },
  );
  const seedField = h("label", { class: "field seed" }, h("span", {}, "Seed"), seed);
  seedField.title = "The seed decides every random draw. The same seed gives the same run.";
  return h("div", { class: "choices" }, domain.field, condition.field, preset.field, seedField);
}

function select(label: string, onChange: (value: string) => void): { field: HTMLElement; input: HTMLSelectElement } {
  const input = h("select", {
    onchange: () => {
      onChange(input.value);
    },
  });
  return { input, field: h("label", { class: "field" }, h("span", {}, label), input) };
}

function createButtons({ store, actions }: App): HTMLElement {
  const run = button({ name: "run", words: "Run", key: "Space" }, actions.run);
  const pause = button({ name: "pause", words: "Pause", key: "Space" }, actions.pause);
  const step = button({ name: "step", words: "Step", key: "S" }, actions.step);
  const stop = button({ name: "stop", words: "Stop", key: "" }, actions.stop);
  store.watch(
    ({ boot, status, settings, active }) => [boot, status, settings, active],
    () => {
      const state = store.get();
      setText(run.querySelector(".button-words") ?? run, runLabel(state));
      allow(run, canRun(state));
      allow(pause, canPause(state));
      allow(step, canStep(state));
      allow(stop, canStop(state));
      run.classList.toggle("is-hidden", state.status === "running");
      pause.classList.toggle("is-hidden", state.status !== "running" && state.status !== "pausing");
    },
  );
  return h("div", { class: "run-buttons", role: "group", "aria-label": "The run" }, run, pause, step, stop);
}

const ICONS: Readonly<Record<string, string>> = { run: "▶", pause: "❚❚", step: "▶❚", stop: "■" };

type ButtonFace = { readonly name: string; readonly words: string; readonly key: string };

function button({ name, words, key }: ButtonFace, onPress: () => void): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: `button ${name}`,
      "data-key": key,
      "aria-keyshortcuts": key === "" ? undefined : key,
      onclick: (event) => {
        if ((event.currentTarget as Element).getAttribute("aria-disabled") !== "true") onPress();
      },
    },
    h("span", { class: "icon", "aria-hidden": "true" }, ICONS[name]),
    h("span", { class: "button-words" }, words),
  );
}

/** A button that cannot be pressed stays reachable, so that its reason can be read. */
function allow(element: HTMLButtonElement, { isAllowed, reason }: Allowed): void {
  element.setAttribute("aria-disabled", String(!isAllowed));
  const key = element.dataset["key"] ?? "";
  element.title = isAllowed ? (key === "" ? "" : `Key: ${key}`) : reason;
  if (isAllowed) element.removeAttribute("aria-description");
  else element.setAttribute("aria-description", reason);
}

function createDeviceChip(app: App): HTMLElement {
  const label = h("span", { class: "chip-words" });
  const chip = h(
    "button",
    { type: "button", class: "chip device", popovertarget: "device-panel", "aria-haspopup": "dialog" },
    h("span", { class: "dot", "aria-hidden": "true" }),
    label,
  );
  app.store.watch(
    ({ boot }) => [boot],
    ([boot]) => {
      setText(label, chipText(boot));
      chip.dataset["state"] = boot.kind;
      chip.title = chipTitle(boot);
    },
  );
  return h("div", { class: "device-box" }, chip, createDevicePanel(app));
}

function chipText(boot: BootState): string {
  if (boot.kind === "failed") return "Not ready";
  if (boot.kind === "starting") return `Loading ${String(Math.round(100 * boot.share))}\u202f%`;
  const { label, tokensPerSecond } = boot.report.device;
  return tokensPerSecond === undefined ? label : `${label}, ${speed(tokensPerSecond)}`;
}

const THEME_WORDS: Readonly<Record<Theme, string>> = { system: "As system", light: "Light", dark: "Dark" };
const THEME_ICONS: Readonly<Record<Theme, string>> = { system: "◐", light: "☀", dark: "☾" };

function createThemeButton({ store, actions }: App): HTMLElement {
  const icon = h("span", { "aria-hidden": "true" });
  const element = h(
    "button",
    {
      type: "button",
      class: "button quiet theme",
      onclick: () => {
        const at = THEMES.indexOf(store.get().look.theme);
        actions.look({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
      },
    },
    icon,
  );
  store.watch(
    ({ look }) => [look.theme],
    ([theme]) => {
      setText(icon, THEME_ICONS[theme]);
      element.setAttribute("aria-label", `Theme: ${THEME_WORDS[theme]}`);
      element.title = `Theme: ${THEME_WORDS[theme]}`;
    },
  );
  return element;
}

function chipTitle(boot: BootState): string {
  if (boot.kind === "ready") return boot.report.device.reason;
  return boot.kind === "starting" ? boot.what : "The engine could not start";
}

/** The settings beside domain, condition, preset and seed, each with what it does; those that do nothing say why. */
import { resolveConfig, type ExperimentConfig, type JsonValue } from "../../../src/index.ts";
import { fill, h, setText } from "../dom.ts";
import { CONDITION_WORDS, KNOBS, type Knob } from "../model/knobs.ts";
import type { Settings } from "../model/address.ts";
import type { App } from "../state.ts";

const GROUP_WORDS: Readonly<Record<Knob["group"], string>> = {
  weights: "The weights’ turn",
  harness: "The harness’s turn",
  both: "Both",
};

/** The config that `settings` make, or what is wrong with them. */
function tryConfig(settings: Settings): {
  readonly config: ExperimentConfig | undefined;
  readonly problem: string;
} {
  const { preset, overrides, domain, condition, seed } = settings;
  try {
    return { config: resolveConfig(preset, { domain, condition, seed, model: "tiny" }, overrides), problem: "" };
  } catch (error) {
    return { config: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The panel with the settings. */
export function createSchedule({ store, actions }: App): HTMLElement {
  const rows = KNOBS.map((knob) => createRow(knob, actions.override));
  const note = h("p", { class: "quiet condition-note" });
  const problem = h("p", { class: "field-problem", role: "status" });
  const reset = h(
    "button",
    {
      type: "button",
      class: "button small quiet",
      onclick: () => {
        actions.choose({ overrides: {} });
      },
    },
    "As preset",
  );
  store.watch(
    ({ settings }) => [settings],
    ([settings]) => {
      const first = tryConfig({ ...settings, overrides: {} }).config;
      const { problem: text } = tryConfig(settings);
      setText(problem, text);
      setText(note, CONDITION_WORDS[settings.condition].hint);
      for (const row of rows) row.update(settings, first);
      reset.hidden = Object.keys(settings.overrides).length === 0;
    },
  );
  const groups = (["weights", "harness", "both"] as const).map((group) =>
    h(
      "fieldset",
      { class: `knobs ${group}` },
      h("legend", {}, GROUP_WORDS[group]),
      rows.filter(({ knob }) => knob.group === group).map(({ element }) => element),
    ),
  );
  return h(
    "section",
    { class: "panel schedule", "aria-labelledby": "schedule-title" },
    h("div", { class: "panel-head" }, h("h2", { id: "schedule-title" }, "Your next run"), reset),
    note,
    problem,
    groups,
  );
}

type Row = {
  readonly knob: Knob;
  readonly element: HTMLElement;
  readonly update: (settings: Settings, preset: ExperimentConfig | undefined) => void;
};

function createRow(knob: Knob, override: (path: string, value: string | undefined) => void): Row {
  const id = `knob-${knob.path.replaceAll(".", "-")}`;
  const input = knob.kind === "flag" ? flagInput(knob, id, override) : numberInput(knob, id, override);
  const why = h("span", { class: "knob-why" });
  const hint = h("span", { class: "knob-hint", role: "tooltip", id: `${id}-hint` });
  const element = h("div", { class: "knob" }, h("label", { for: id }, knob.label), input, hint);
  let inputPreset: string | undefined;
  return {
    knob,
    element,
    update: (settings, preset) => {
      const given = leafText(preset, knob.path);
      const value = settings.overrides[knob.path] ?? given;
      inputPreset = given;
      const reason = knob.idle(settings.condition);
      if (document.activeElement !== input) put(input, value);
      input.disabled = reason !== "";
      element.classList.toggle("is-off", reason !== "");
      element.classList.toggle("is-changed", settings.overrides[knob.path] !== undefined);
      element.title = reason;
      setText(why, reason);
      fill(
        hint,
        reason === "" ? null : h("b", {}, reason, " "),
        knob.hint,
        " ",
        h("em", {}, `Term: ${knob.term}.`),
        presetNote(inputPreset),
      );
    },
  };
}

function presetNote(value: string): HTMLElement {
  return h("em", {}, ` Preset: ${value}.`);
}

function numberInput(
  knob: Knob,
  id: string,
  override: (path: string, value: string | undefined) => void,
): HTMLInputElement {
  const input = h("input", {
    id,
    type: "text",
    inputmode: knob.kind === "count" ? "numeric" : "decimal",
    autocomplete: "off",
    "aria-describedby": `${id}-hint`,
    onchange: () => {
      const text = input.value.trim();
      const isGood = text !== "" && Number.isFinite(Number(text)) && Number(text) >= (knob.min ?? -Infinity);
      input.setAttribute("aria-invalid", String(!isGood));
      override(knob.path, text === "" ? undefined : text);
    },
  });
  return input;
}

function flagInput(
  knob: Knob,
  id: string,
  override: (path: string, value: string | undefined) => void,
): HTMLInputElement {
  const input = h("input", {
    id,
    type: "checkbox",
    "aria-describedby": `${id}-hint`,
    onchange: () => {
      override(knob.path, String(input.checked));
    },
  });
  return input;
}

function put(input: HTMLInputElement, value: string): void {
  if (input.type === "checkbox") input.checked = value === "true";
  else input.value = value;
}

/** The value at the dotted `path`, as text. */
function leafText(config: ExperimentConfig | undefined, path: string): string {
  let value: JsonValue | undefined = config;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
    value = (value as Readonly<Record<string, JsonValue>>)[key];
  }
  return typeof value === "object" || value === undefined ? "" : String(value);
}

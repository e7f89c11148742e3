/** Draws the blocks of a transcript: messages, sampled tokens in colour, tool calls with their results. */
import type { JsonValue } from "../../../src/index.ts";
import type { RolloutView, TokenView } from "../../protocol/rollouts.ts";
import { h, type Child } from "../dom.ts";
import { percent } from "../format.ts";
import {
  blocksOf,
  goldAnswers,
  leastLikely,
  markAnswers,
  PROBABILITY_BOUNDS,
  probabilityLevel,
  type Block,
} from "../model/messages.ts";

/** What the colour of a token says. */
export type TokenColour = "probability" | "trained";

/** The blocks of `view`. */
export function drawBlocks(view: RolloutView, colour: TokenColour): HTMLElement[] {
  const answers = view.domain === "search-qa" ? goldAnswers(view) : [];
  return blocksOf(view.steps).map((block) => drawBlock(block, { colour, answers }));
}

type DrawOptions = { readonly colour: TokenColour; readonly answers: readonly string[] };

function drawBlock(block: Block, options: DrawOptions): HTMLElement {
  switch (block.kind) {
    case "message":
      return message(
        block.role === "system"
          ? "harness, to set the scene"
          : block.role === "assistant"
            ? "example, from the harness"
            : "harness",
        "harness",
        markedText(block.text, options.answers),
      );
    case "reply":
      return drawReply(block, options.colour);
    case "tool":
      return drawTool(block, options.answers);
    case "note":
      return message("note", "note", block.text);
  }
}

function message(who: string, kind: string, ...content: readonly Child[]): HTMLElement {
  return h("div", { class: `block ${kind}` }, h("span", { class: "who" }, who), h("div", { class: "said" }, content));
}

function drawReply(block: Extract<Block, { kind: "reply" }>, colour: TokenColour): HTMLElement {
  const least = leastLikely(block.tokens);
  const note =
    colour === "probability" && least !== undefined && least.probability < 0.5
      ? h(
          "p",
          { class: "least" },
          "Least likely here: ",
          h("code", {}, visible(least.text)),
          `, ${percent(least.probability)}`,
        )
      : null;
  return message(
    `model, turn ${String(block.turn)}`,
    "model",
    block.prefill === ""
      ? null
      : h(
          "span",
          { class: "prefill", title: "Put there by the harness as the start of the reply; not sampled (prefill)" },
          block.prefill,
        ),
    block.tokens.length === 0 ? block.text : block.tokens.map((token) => drawToken(token, colour)),
    block.cut === "" ? null : h("span", { class: "cut" }, ` … ${block.cut}`),
    note,
  );
}

function drawToken(token: TokenView, colour: TokenColour): HTMLElement {
  const level =
    colour === "probability"
      ? `p${String(probabilityLevel(token.probability))}`
      : token.isTrained
        ? "is-trained"
        : "is-untrained";
  const trained = token.isTrained ? ", learned from" : "";
  return h(
    "span",
    { class: `token ${level}`, title: `“${visible(token.text)}”, probability ${percent(token.probability)}${trained}` },
    token.text,
  );
}

/** Line ends and spaces as signs that can be seen. */
function visible(text: string): string {
  return text.replaceAll("\n", "⏎").replaceAll(" ", "␣");
}

function drawTool(block: Extract<Block, { kind: "tool" }>, answers: readonly string[]): HTMLElement {
  const result = parse(block.result);
  const passages = passagesOf(result);
  const said: Child[] = [drawCall(block)];
  if (passages.length > 0) said.push(drawPassages(passages, answers));
  else
    said.push(
      h(
        "div",
        { class: "tool-result" },
        h("span", { class: "who" }, block.isOk ? "result" : "error"),
        h("pre", {}, resultText(block.result, result)),
      ),
    );
  return message(`tool, ${block.name}`, block.isOk ? "tool" : "tool is-error", said);
}

function drawCall({ name, args }: Extract<Block, { kind: "tool" }>): HTMLElement {
  const [first, ...more] = args;
  const code = typeof first === "string" ? first : JSON.stringify(first ?? null);
  const rest = more.length === 0 ? "" : ` ${more.map((arg) => JSON.stringify(arg)).join(", ")}`;
  return h("pre", { class: `tool-call ${name}` }, h("code", {}, code), rest === "" ? null : h("small", {}, rest));
}

type Passage = { readonly title: string; readonly text: string };

function passagesOf(result: JsonValue | undefined): Passage[] {
  if (!Array.isArray(result)) return [];
  return result.flatMap((item): Passage[] => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
    const { title, text } = item as Readonly<Record<string, JsonValue>>;
    return typeof text === "string" ? [{ title: typeof title === "string" ? title : "", text }] : [];
  });
}

function drawPassages(passages: readonly Passage[], answers: readonly string[]): HTMLElement {
  return h(
    "ol",
    { class: "passages" },
    passages.map(({ title, text }) =>
      h("li", {}, title === "" ? null : h("b", {}, markedText(title, answers), ". "), markedText(text, answers)),
    ),
  );
}

function markedText(text: string, answers: readonly string[]): Child[] {
  return markAnswers(text, answers).map((piece) =>
    piece.isAnswer ? h("mark", { title: "A right answer" }, piece.text) : piece.text,
  );
}

function resultText(raw: string, result: JsonValue | undefined): string {
  if (typeof result !== "object" || result === null || Array.isArray(result))
    return typeof result === "string" ? result : raw;
  const fields = result as Readonly<Record<string, JsonValue>>;
  const output = fields["output"];
  if (typeof output === "string") return output === "" ? "(no output)" : output;
  return Object.entries(fields)
    .filter(([, value]) => typeof value !== "object")
    .map(([key, value]) => `${key}: ${String(value as string | number | boolean)}`)
    .join("\n");
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The message of a tool that failed is plain text.
    return undefined;
  }
}

/** The legend of the colours. */
export function drawLegend(colour: TokenColour, hasTokens: boolean): HTMLElement {
  if (!hasTokens)
    return h("p", { class: "token-legend quiet" }, "This run kept the text of this rollout, but not its tokens.");
  if (colour === "trained")
    return h(
      "p",
      { class: "token-legend" },
      h("span", { class: "token is-trained" }, "learned from"),
      h("span", { class: "token is-untrained" }, "sampled, not learned from"),
      h("span", { class: "prefill" }, "put there by the harness"),
    );
  const bounds = [0, ...PROBABILITY_BOUNDS];
  return h(
    "p",
    { class: "token-legend" },
    h("span", {}, "probability"),
    PROBABILITY_BOUNDS.map((bound, level) =>
      h(
        "span",
        { class: `token p${String(level)}` },
        `${String(Math.round(100 * (bounds[level] ?? 0)))}–${String(Math.round(100 * bound))}`,
      ),
    ),
    h("span", {}, "%"),
    h("span", { class: "prefill" }, "by the harness"),
  );
}

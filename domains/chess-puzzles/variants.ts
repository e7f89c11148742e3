/** Function variants: other ways to show a position, read a reply, answer a refusal and keep history. Data only. */
import type { FunctionVariant } from "../../src/rollout/domain.ts";

const OBSERVATION = "observation formatting";
const MISREAD = ["illegal move", "wrong move", "malformed move", "no move", "truncated"];

const FORMAT_OBSERVATION: readonly FunctionVariant[] = [
  {
    target: "formatObservation",
    axis: OBSERVATION,
    addresses: MISREAD,
    hypothesis: "A small model reads a short text better: the reply, the side and the list say all that it uses.",
    source: String.raw`function formatObservation(view) {
  const reply = view.opponent === "" ? "" : "The opponent plays " + view.opponent + ".\n";
  return reply + view.side + " to move.\nLegal moves:\n" + view.legal.map(formatMove).join("\n");
}`,
  },
  {
    target: "formatObservation",
    axis: OBSERVATION,
    addresses: MISREAD,
    hypothesis: "The FEN, the side and the list, in few words, are read better than headed lines.",
    source: String.raw`function formatObservation(view) {
  const reply = view.opponent === "" ? "" : "The opponent plays " + view.opponent + ".\n";
  return reply + "FEN: " + view.fen + "\n" + view.side + " to move.\nLegal moves:\n" + view.legal.map(formatMove).join("\n");
}`,
  },
  {
    target: "formatObservation",
    axis: OBSERVATION,
    addresses: MISREAD,
    hypothesis: "Lists of pieces with their squares name what moves can meet, in the words of the moves.",
    source: String.raw`function formatObservation(view) {
  const placed = { white: [], black: [] };
  view.fen.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const char of row) {
      if (/\d/.test(char)) file += Number(char);
      else {
        const square = "abcdefgh"[file] + (8 - index);
        placed[char === char.toUpperCase() ? "white" : "black"].push(char.toUpperCase().replace("P", "") + square);
        file += 1;
      }
    }
  });
  const pieces = "White: " + placed.white.join(" ") + "\nBlack: " + placed.black.join(" ");
  const reply = view.opponent === "" ? "" : "The opponent plays " + view.opponent + ".\n";
  return reply + pieces + "\nYou are " + view.side + ".\nLegal moves:\n" + view.legal.map(formatMove).join("\n");
}`,
  },
  {
    target: "formatObservation",
    axis: OBSERVATION,
    addresses: ["illegal move", "wrong move"],
    hypothesis: "A drawn board and the moves so far let a model that can see them check what a move does.",
    source: String.raw`function formatObservation(view) {
  const played = "Moves so far: " + (view.played.length === 0 ? "none" : view.played.join(" "));
  const place = "Puzzle move: " + view.index + ". " + view.side + " to move.";
  return [view.goal, view.board, "FEN: " + view.fen, played, place, "Legal moves:", view.legal.map(formatMove).join("\n")].join("\n");
}`,
  },
];

const FORMAT_MOVE: readonly FunctionVariant[] = [
  ['move.uci + " " + move.san', "Two plain words a row, UCI first, are easiest to copy from."],
  ['move.san + " = " + move.uci', "The name of a move first, then its squares, reads as a dictionary."],
  ['move.uci + " (" + move.san + ")"', "The name in brackets keeps the squares apart from it."],
].map(([expression = "", hypothesis = ""]) => ({
  target: "formatMove",
  axis: OBSERVATION,
  addresses: ["illegal move", "wrong move", "malformed move"],
  hypothesis,
  source: `function formatMove(move) {\n  return ${expression};\n}`,
}));

const PARSE_MOVE: readonly FunctionVariant[] = [
  {
    target: "parseMove",
    axis: "parser robustness",
    addresses: ["malformed move", "ambiguous move", "truncated", "no move"],
    hypothesis: "The last move tag counts, whatever notation it holds and even if it is left open.",
    source: String.raw`function parseMove(text) {
  const tags = [...text.matchAll(/<move>\s*([^<\s]+)/g)].map((match) => match[1]);
  return tags.length === 0 ? "" : tags[tags.length - 1].slice(0, 20);
}`,
  },
  {
    target: "parseMove",
    axis: "parser robustness",
    addresses: ["malformed move", "no move", "ambiguous move"],
    hypothesis: "A move in prose, in either notation, is a move where it is the only one.",
    source: String.raw`function parseMove(text) {
  const tags = [...text.matchAll(/<move>\s*([^<\s]+)/g)].map((match) => match[1]);
  if (tags.length > 0) return tags[tags.length - 1].slice(0, 20);
  const only = (pattern) => [...new Set(text.match(pattern) ?? [])];
  const squares = only(/\b[a-h][1-8][a-h][1-8][qrbn]?\b/g);
  const names = only(/\b[KQRBN][a-h]?[1-8]?x?[a-h][1-8][+#]?|O-O(?:-O)?[+#]?/g);
  const moves = squares.length > 0 ? squares : names;
  return moves.length === 1 ? moves[0] : "";
}`,
  },
];

const IS_LEGAL: readonly FunctionVariant[] = [
  {
    target: "isLegal",
    axis: "parser robustness",
    addresses: ["illegal move", "malformed move"],
    hypothesis: "A move in algebraic notation is as legal as its squares; the tool reads both.",
    source: String.raw`function isLegal(view, move) {
  const plain = (text) => text.replace(/[+#]/g, "");
  return view.legal.some(({ uci, san }) => uci === move || plain(san) === plain(move));
}`,
  },
];

const TALK: readonly FunctionVariant[] = [
  {
    target: "openingPrefill",
    axis: "prompt architecture",
    addresses: ["malformed move", "no move", "ambiguous move", "truncated"],
    hypothesis: "Opening the move tag leaves the model only the move to write.",
    source: String.raw`function openingPrefill(view) {
  return "<move>";
}`,
  },
  {
    target: "openingPrefill",
    axis: "prompt architecture",
    addresses: ["malformed move", "no move"],
    hypothesis: "The words of a chosen move lead to the tag.",
    source: String.raw`function openingPrefill(view) {
  return "The best move is <move>";
}`,
  },
  {
    target: "buildMessages",
    axis: "prompt architecture",
    addresses: ["wrong move", "no move", "malformed move"],
    hypothesis: "A small model heeds instructions in the user message more than those of a system message.",
    source: String.raw`function buildMessages(content) {
  return [...exampleMessages(), { role: "user", content: (SYSTEM_PROMPT + "\n" + content).trim() }];
}`,
  },
  {
    target: "buildMessages",
    axis: "prompt architecture",
    addresses: ["wrong move", "illegal move"],
    hypothesis: "Without a system message the position is the first thing that the model reads.",
    source: String.raw`function buildMessages(content) {
  return [...exampleMessages(), { role: "user", content }];
}`,
  },
  {
    target: "formatNotice",
    axis: "retry feedback",
    addresses: ["illegal move", "malformed move", "no move", "ambiguous move"],
    hypothesis: "The notice should say what to do: take a move of the list, or write it in the tag.",
    source: String.raw`function formatNotice(reason) {
  if (reason === "illegal move") return "That move is not legal. Choose from the list.";
  return "Choose one legal move and write <move>uci</move>.";
}`,
  },
  {
    target: "keepHistory",
    axis: "history compaction",
    addresses: ["unfinished line", "wrong move", "truncated", "budget spent"],
    hypothesis: "After a move was accepted only the new position matters; earlier turns confuse.",
    source: String.raw`function keepHistory(messages) {
  return messages.filter((message) => message.role === "system");
}`,
  },
  {
    target: "keepHistory",
    axis: "history compaction",
    addresses: ["unfinished line", "truncated", "budget spent"],
    hypothesis: "Refused tries need not be seen again once a move was accepted.",
    source: String.raw`function keepHistory(messages) {
  const start = messages.findIndex((message) => message.role === "assistant");
  return [...messages.slice(0, start), messages[messages.length - 1]];
}`,
  },
];

/** Every variant. */
export const VARIANTS: readonly FunctionVariant[] = [
  ...FORMAT_OBSERVATION,
  ...FORMAT_MOVE,
  ...PARSE_MOVE,
  ...IS_LEGAL,
  ...TALK,
];

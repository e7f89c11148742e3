/**
 * Chats about small chess positions: choosing a move from a list, and looking things up in that list.
 *
 * Rows are shuffled and their format varies, so that no place in the list means anything. A mate is chosen in 35 % of
 * the positions that have one (60 % where the prompt speaks of mate), else a check, a capture or any move; half of the
 * chats are look-ups, without which a small model does not learn to read the list.
 */
import {
  formatUci,
  legalMoves,
  nameMoves,
  pieceLetter,
  playMove,
  squareName,
  type Board,
  type BoardMove,
  type NamedMove,
} from "../../domains/chess-puzzles/board.ts";
import type { ChatMessage } from "../../src/text/chat.ts";
import { drawMatePosition, drawPlainPosition, writeFen } from "./chess-positions.ts";
import { assistant, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import { drawPersona } from "./tool-phrases.ts";

const MOVE_REQUESTS = [
  "Reply with <move>uci</move>.",
  "Answer with a move such as <move>e2e4</move>.",
  "Choose one legal move and write <move>uci</move>.",
  "Write your move in <move> and </move>.",
  "Give your move as <move>e2e4</move>.",
  "Play a move: <move>...</move>.",
  "Put the move in UCI inside <move></move>.",
  "Your move in <move> tags, please.",
  "Which move do you play? Write <move>uci</move>.",
  "Pick a move from the list and write it in <move> and </move>.",
];
const MATE_PHRASES = [
  "There is a mate in one.",
  "Find the mate in one.",
  "Mate in one.",
  "Find checkmate.",
  "One of the moves gives checkmate. Find it.",
  "A move with # is mate.",
  "Give mate.",
  "Checkmate your opponent now.",
];
const GOAL_PHRASES = [
  "Find the best move.",
  "Choose the best move.",
  "Play well.",
  "What is the best move?",
  "You play chess.",
  "Solve the chess puzzle.",
  "Win the game.",
];

/** A legal move, as the list writes it and as the board plays it. */
type ListedMove = BoardMove & NamedMove;

/** Legal moves with their names, in the order of the board. */
function listMoves(position: Board): ListedMove[] {
  const names = nameMoves(position);
  return legalMoves(position).map((move, i) => ({ ...move, ...(names[i] as NamedMove) }));
}

const isMate = ({ san }: NamedMove): boolean => san.endsWith("#");
/** Whether it checks without mate. */
const isCheck = ({ san }: NamedMove): boolean => san.endsWith("+");
const isCapture = ({ san }: NamedMove): boolean => san.includes("x");

type Scene = { readonly position: Board; readonly moves: readonly ListedMove[]; readonly text: string };

/** One chess chat. */
export function chessTranscript(draw: Draw): Transcript {
  const messages = draw.chance(0.5) ? lookUpChat(draw) : playChat(draw);
  return { messages, family: "chess" };
}

function drawScene(draw: Draw, position: Board, format: RowFormat): Scene {
  const moves = draw.shuffle(listMoves(position));
  return { position, moves, text: sceneText(draw, { position, moves }, format) };
}

type RowFormat = { readonly row: string; readonly separator: string; readonly board: string; readonly head: string };

function drawFormat(draw: Draw): RowFormat {
  const row = draw.weighted([
    [0.3, "{u} {s}"],
    [0.16, "{s} {u}"],
    [0.12, "{s} = {u}"],
    [0.12, "{u} ({s})"],
    [0.08, "{s} ({u})"],
    [0.08, "{u}: {s}"],
    [0.06, "- {u} {s}"],
    [0.05, "{u}"],
    [0.03, "{s}"],
  ]);
  return {
    row,
    separator: draw.weighted([
      [0.6, "\n"],
      [0.2, ", "],
      [0.12, "; "],
      [0.08, " "],
    ]),
    board: draw.weighted([
      [0.35, "fen"],
      [0.3, "pieces"],
      [0.35, "none"],
    ]),
    head: draw.pick([
      "Legal moves:\n",
      "Legal moves: ",
      "Moves:\n",
      "Moves: ",
      "Your legal moves:\n",
      "You can play:\n",
      "Choices:\n",
    ]),
  };
}

function sceneText(draw: Draw, { position, moves }: Omit<Scene, "text">, format: RowFormat): string {
  const rows = moves.map((move) => fill(format.row, { u: move.uci, s: move.san }));
  const side = position.isWhite ? "White" : "Black";
  const turn = draw.chance(0.6) ? draw.pick([`${side} to move.`, `You are ${side}.`, `${side} moves.`]) : "";
  const board =
    format.board === "fen"
      ? draw.pick(["FEN: ", "Position: ", ""]) + writeFen(position)
      : format.board === "pieces"
        ? pieceList(position)
        : "";
  return joinParts([board, turn, format.head + rows.join(format.separator)], "\n");
}

function pieceList({ squares }: Board): string {
  const side = (sign: number): string =>
    [...squares.entries()]
      .filter(([, piece]) => piece * sign > 0)
      .map(([square, piece]) => pieceLetter(piece) + squareName(square))
      .join(" ");
  return `White: ${side(1)}\nBlack: ${side(-1)}`;
}

function playChat(draw: Draw): ChatMessage[] {
  const isMate = draw.chance(0.75);
  const isTold = isMate && draw.chance(0.35);
  const format = drawFormat(draw);
  const scene = drawScene(draw, isMate ? drawMatePosition(draw) : drawPlainPosition(draw), format);
  const goal = isTold ? draw.pick(MATE_PHRASES) : draw.chance(0.6) ? draw.pick(GOAL_PHRASES) : "";
  const isAsked = draw.chance(0.8);
  const request = isAsked ? draw.pick(MOVE_REQUESTS) : "";
  const isSystem = draw.chance(0.5);
  const top = isSystem
    ? joinParts([drawPersona(draw), draw.chance(0.5) ? goal : "", draw.chance(0.5) ? request : ""], " ")
    : "";
  const rest = [goal, request].filter((part) => part !== "" && !top.includes(part));
  const before = rest.filter(() => draw.chance(0.4));
  const messages: ChatMessage[] = top === "" ? [] : [system(top)];
  messages.push(user(joinParts([...before, scene.text, ...rest.filter((part) => !before.includes(part))], "\n")));
  answerScene(draw, messages, { scene, format, isTold, isAsked });
  return messages;
}

type Situation = {
  readonly scene: Scene;
  readonly format: RowFormat;
  readonly isTold: boolean;
  readonly isAsked: boolean;
};

/** The assistant's moves, with an illegal try or a second turn now and then. */
function answerScene(draw: Draw, messages: ChatMessage[], { scene, format, isTold, isAsked }: Situation): void {
  if (draw.chance(0.1)) {
    const wrong = illegalMove(draw, scene.moves);
    const list = draw.chance(0.5) ? `\n${scene.text}` : "";
    const complaint = draw.pick([
      `${wrong} is not legal.`,
      "Illegal move. Try again.",
      "That move is not legal. Choose from the list.",
      `error: illegal move ${wrong}`,
      "Not a legal move.",
    ]);
    messages.push(assistant(`<move>${wrong}</move>`), user(complaint + list));
  }
  const move = chooseMove(draw, scene.moves, isTold);
  messages.push(assistant(writeMove(draw, move, isAsked)));
  if (isMate(move) || !draw.chance(0.3)) return;
  const reply = playMove(scene.position, move);
  const answers = listMoves(reply);
  if (answers.length === 0) return;
  const answer = draw.pick(answers);
  const next = playMove(reply, answer);
  const nextScene = drawScene(draw, next, format);
  if (nextScene.moves.length < 1 || nextScene.moves.length > 26) return;
  const spoken = draw.pick([
    `The opponent plays ${answer.uci}.`,
    `${answer.san} was played.`,
    `Reply: ${answer.uci}`,
    `Black or white answers ${answer.san}.`,
  ]);
  messages.push(
    user(`${spoken}\n${nextScene.text}`),
    assistant(writeMove(draw, chooseMove(draw, nextScene.moves, isTold), isAsked)),
  );
}

function chooseMove(draw: Draw, moves: readonly ListedMove[], isTold: boolean): ListedMove {
  const mates = moves.filter(isMate);
  if (mates.length > 0 && draw.chance(isTold ? 0.62 : 0.35)) return draw.pick(mates);
  const others = moves.filter((move) => !isMate(move));
  const pool = [others.filter(isCheck), others.filter(isCapture), others].filter((group) => group.length > 0);
  return pool.length > 0 ? draw.pick(draw.pick(pool)) : draw.pick(moves);
}

function writeMove(draw: Draw, { uci, san }: ListedMove, isAsked: boolean): string {
  const style = isAsked
    ? draw.weighted([
        [0.8, "tag"],
        [0.07, "san"],
        [0.05, "prose"],
        [0.05, "tagProse"],
        [0.03, "plain"],
      ])
    : draw.weighted([
        [0.2, "tag"],
        [0.15, "san"],
        [0.35, "prose"],
        [0.3, "plain"],
      ]);
  if (style === "tag") return `<move>${uci}</move>`;
  if (style === "san") return `<move>${san}</move>`;
  if (style === "tagProse") return `${draw.pick(["I play", "My move is", "The best move is"])} <move>${uci}</move>`;
  if (style === "prose")
    return `${draw.pick(["I play", "My move is", "The best move is"])} ${draw.chance(0.5) ? uci : san}.`;
  return draw.chance(0.6) ? uci : san;
}

function illegalMove(draw: Draw, moves: readonly ListedMove[]): string {
  for (;;) {
    const uci = formatUci({ from: draw.pick(moves).from, to: draw.int(64), promotion: 0 });
    if (moves.every((move) => move.uci !== uci)) return uci;
  }
}

function lookUpChat(draw: Draw): ChatMessage[] {
  const format = {
    ...drawFormat(draw),
    row: draw.pick(["{u} {s}", "{u} {s}", "{s} {u}", "{s} = {u}", "{u} ({s})", "{s} ({u})", "{u}: {s}"]),
  };
  const scene = drawScene(draw, draw.chance(0.65) ? drawMatePosition(draw) : drawPlainPosition(draw), format);
  const persona = draw.chance(0.3) ? drawPersona(draw) : "";
  const messages: ChatMessage[] = persona === "" ? [] : [system(persona)];
  for (let turn = 0, turns = draw.between(2, 6); turn < turns; turn += 1) {
    const [question, reply] = lookUp(draw, scene);
    messages.push(
      user(turn > 0 ? question : draw.chance(0.8) ? `${scene.text}\n${question}` : `${question}\n${scene.text}`),
      assistant(reply),
    );
  }
  return messages;
}

/** A question about the list and its answer. */
function lookUp(draw: Draw, { moves }: Scene): [question: string, reply: string] {
  const mates = moves.filter(isMate);
  const checks = moves.filter(isCheck);
  const captures = moves.filter(isCapture);
  const move = draw.pick(mates.length > 0 && draw.chance(0.4) ? mates : moves);
  const kind = draw.weighted([
    [0.3, "uci"],
    [0.1, "san"],
    [0.34, "mate"],
    [0.08, "check"],
    [0.06, "capture"],
    [0.12, "legal"],
  ]);
  const tag = (uci: string, question: string): [string, string] =>
    draw.chance(0.4) ? [`${question} ${draw.pick(MOVE_REQUESTS)}`, `<move>${uci}</move>`] : [question, uci];
  if (kind === "uci")
    return tag(
      move.uci,
      fill(draw.pick(["What is {s} in UCI?", "{s} in UCI?", "Write {s} in UCI.", "Find {s} and give its squares."]), {
        s: move.san,
      }),
    );
  if (kind === "san")
    return [
      fill(draw.pick(["What is {u} in SAN?", "{u} in SAN?", "What is the name of {u}?"]), { u: move.uci }),
      move.san,
    ];
  if (kind === "mate")
    return mates.length === 0
      ? [draw.pick(MATE_QUESTIONS), draw.pick(["none", "No move gives mate."])]
      : mateReply(draw, draw.pick(mates), tag);
  if (kind === "check")
    return [
      draw.pick(["Which move gives check?", "Find a check."]),
      checks.length > 0 ? draw.pick(checks).uci : "none",
    ];
  if (kind === "capture")
    return [
      draw.pick(["Which move takes a piece?", "Find a capture."]),
      captures.length > 0 ? draw.pick(captures).uci : "none",
    ];
  const uci = draw.chance(0.5) ? move.uci : illegalMove(draw, moves);
  return [
    fill(draw.pick(["Is {u} legal?", "Is {u} in the list?", "Can I play {u}?"]), { u: uci }),
    moves.some((other) => other.uci === uci) ? "yes" : "no",
  ];
}

const MATE_QUESTIONS = [
  "Which move gives mate?",
  "Which move is mate?",
  "Is there a mate?",
  "Find the move with #.",
  "Which move is checkmate?",
];

function mateReply(
  draw: Draw,
  { uci, san }: ListedMove,
  tag: (uci: string, question: string) => [string, string],
): [string, string] {
  const question = draw.pick(MATE_QUESTIONS);
  return draw.weighted<() => [string, string]>([
    [0.6, () => tag(uci, question)],
    [0.25, () => [question, `${san} (${uci})`]],
    [0.15, () => [question, san]],
  ])();
}

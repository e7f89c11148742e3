/**
 * One puzzle being played: the tool `play(move)` and the judgement (whale-spec 5.5).
 *
 * The whole line must be played; a move that mates always wins; a legal move off the line loses at once. One malformed and
 * one illegal move are forgiven and no more, counted here, so that a harness cannot find moves by trying. For the same
 * reason each move must be what a reply of its own settles on, and no reply before it may settle on another legal move: a
 * harness can neither pick among moves that the model named, nor ask again until it likes the move.
 */
import { TaskError } from "../../src/base/errors.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import type { Episode, EpisodeEnd, Task, Verdict } from "../../src/rollout/domain.ts";
import { nameMoves, parseBoard } from "./board.ts";
import { observe, readPuzzle } from "./puzzle.ts";
import { ruleMove, type Ruling } from "./referee.ts";
import { LONGEST_MOVE, settledMove } from "./reply.ts";

/** Refused moves of each kind that a puzzle forgives. */
const RETRIES = { malformed: 1, illegal: 1 } as const;

/** One call of `play`, and what the rules said to it. */
type Attempt = { readonly text: string; readonly fen: string; readonly ruling: Ruling };

type State = "open" | "solved" | "wrong move" | "malformed move" | "illegal move";

/** Opens `task` for one rollout. */
export function openEpisode(task: Task): Episode {
  const game = new PuzzleGame(task);
  return {
    tools: { play: (args) => game.play(args) },
    judge: (end) => game.judge(end),
    claims: () => game.moves.map(({ text }) => text),
  };
}

class PuzzleGame {
  /** Every text that was given to `play`, refused ones too. */
  readonly moves: Attempt[] = [];
  readonly #line: readonly string[];
  readonly #played: string[] = [];
  readonly #left = { ...RETRIES } as { malformed: number; illegal: number };
  #fen: string;
  #state: State = "open";

  constructor(task: Task) {
    const { fen, line } = readPuzzle(task);
    this.#line = line;
    this.#fen = fen;
  }

  play(args: readonly JsonValue[]): JsonObject {
    const [text] = args;
    if (args.length !== 1 || typeof text !== "string") throw new TaskError("play: takes one text, the move");
    if (text.length > LONGEST_MOVE)
      throw new TaskError(`play: a move has at most ${String(LONGEST_MOVE)} characters, got ${String(text.length)}`);
    if (this.#state !== "open") return { status: "over", reason: this.#state };
    const ruling = ruleMove(this.#fen, text);
    this.moves.push({ text, fen: this.#fen, ruling });
    return ruling.kind === "legal" ? this.#advance(ruling) : this.#refuse(ruling.kind);
  }

  #refuse(kind: "malformed" | "illegal"): JsonObject {
    const retries = this.#left[kind];
    if (retries > 0) this.#left[kind] -= 1;
    else this.#state = `${kind} move`;
    return { status: retries > 0 ? "refused" : "over", reason: `${kind} move`, retries: this.#left[kind] };
  }

  #advance({ uci, fen, isMate }: Extract<Ruling, { kind: "legal" }>): JsonObject {
    if (isMate) return this.#finish("solved");
    if (uci !== this.#line[this.#played.length]) return this.#finish("wrong move");
    const reply = this.#line[this.#played.length + 1];
    if (reply === undefined) return this.#finish("solved");
    const answer = ruleMove(fen, reply);
    if (answer.kind !== "legal") throw new TaskError(`chess-puzzles: the line has an illegal reply, ${reply}`);
    this.#played.push(uci, reply);
    this.#fen = answer.fen;
    const next = observe(parseBoard(answer.fen), { opponent: reply, played: [...this.#played] });
    return { status: "next", ...next };
  }

  #finish(state: "solved" | "wrong move"): JsonObject {
    this.#state = state;
    return { status: state === "solved" ? "solved" : "over", reason: state };
  }

  judge({ sampled }: EpisodeEnd): Verdict {
    if (this.moves.length === 0) return { reward: 0, reason: "no move" };
    if (this.#state === "open") return { reward: 0, reason: "unfinished line" };
    if (this.#state !== "solved") return { reward: 0, reason: this.#state };
    return this.#findForeignMove(sampled) ?? { reward: 1, reason: "solved" };
  }

  /** The verdict where a move is not what the model settled on. */
  #findForeignMove(sampled: readonly string[]): Verdict | undefined {
    let next = 0;
    for (const { text, fen } of this.moves) {
      const identify = (move: string): string => nameOf(ruleMove(fen, move), move);
      for (;;) {
        const reply = sampled[next];
        if (reply === undefined) return { reward: 0, reason: NOT_THE_MODELS };
        next += 1;
        const settled = settledMove(reply, identify);
        if (settled !== "" && identify(settled) === identify(text)) break;
        if (ruleMove(fen, settled).kind === "legal") return { reward: 0, reason: REPLACED };
      }
    }
    return undefined;
  }
}

/** The reason where a move was played on which no reply settles. */
export const NOT_THE_MODELS = "not the model's move";
/** The reason where a legal move of the model was passed over. */
export const REPLACED = "a legal move was replaced";

function nameOf(ruling: Ruling, text: string): string {
  return ruling.kind === "legal" ? ruling.uci : text.trim();
}

/** Plays the gold line of `task`, or one that leaves it at the last move where another move is possible, and judges it. */
export async function playAnswer(task: Task, answer: "gold" | "corrupted"): Promise<Verdict> {
  const { line } = readPuzzle(task);
  const moves = line.filter((_, index) => index % 2 === 0);
  const episode = openEpisode(task);
  const said = answer === "gold" ? moves : corruptMoves(task, moves);
  for (const move of said) await episode.tools["play"]?.([move]);
  return episode.judge({ returned: undefined, sampled: said.map((move) => `<move>${move}</move>`) });
}

/** The solver's moves with the last one that can be replaced by a legal move without mate replaced; the rest is cut. */
function corruptMoves(task: Task, moves: readonly string[]): string[] {
  const { fen: start, line } = readPuzzle(task);
  const options: (string | undefined)[] = [];
  let fen = start;
  for (const [index, move] of line.entries()) {
    if (index % 2 === 0) options.push(findOther(fen, move));
    const ruling = ruleMove(fen, move);
    if (ruling.kind !== "legal") break;
    fen = ruling.fen;
  }
  const place = options.findLastIndex((option) => option !== undefined);
  // Where every move is forced, stopping early is all that is left to do wrong.
  return place < 0 ? moves.slice(0, -1) : [...moves.slice(0, place), options[place] ?? ""];
}

function findOther(fen: string, move: string): string | undefined {
  return nameMoves(parseBoard(fen)).find(({ uci, san }) => uci !== move && !san.endsWith("#"))?.uci;
}

/** What a proposer, a person or a model, should know of this domain. Markdown. */

/** The guide; names no data set, so that a harness cannot be written for one. */
export const GUIDE: string = String.raw`# chess-puzzles

A task is a chess position with one line to find. The solver's moves of the line must all be played; the opponent's replies
come from the puzzle. A move that mates always wins. A legal move off the line loses at once.

## Contract
- \`task\` is an observation: \`goal\`, \`side\` ("White" or "Black"), \`fen\`, \`board\` (eight rows of text), \`opponent\` (the opponent's last
  move, or ""), \`played\` (moves of the puzzle so far), \`index\` (which of the solver's moves is wanted), \`legal\` (\`[{ uci, san }, ...]\`).
- \`env.chat(messages, { maxTokens, stop, prefill })\` gives \`{ text, finish, tokens }\`; \`text\` begins with the prefill.
- \`env.tools.play(move)\` takes one text, a move in UCI or in algebraic notation, as the model wrote it. It gives \`{ status }\`:
  \`next\` with the fields of a new observation, \`solved\`, \`refused\` with \`reason\` (\`malformed move\` or \`illegal move\`) and \`retries\`, or \`over\`.
  The puzzle forgives one malformed and one illegal move.
- \`solve(task, env)\` returns nothing. Tokens, turns and tool calls are counted over the whole rollout.

## Axes
- **prompt architecture**: SYSTEM_PROMPT, USER_PROMPT, NEXT_PROMPT, examples, how a reply begins.
- **observation formatting**: \`formatObservation\`, \`formatMove\`: which facts are shown, in which form and order of sections.
- **parser robustness**: \`parseMove\`: tags left open, algebraic notation, prose around the move.
- **retry feedback**: RETRY_PROMPT, \`formatNotice\`, the numbers of retries.
- **history compaction**: \`keepHistory\`: what of earlier turns the model still sees.
- **edge cases**: promotions, castling, replies that are cut, MAX_TURNS.

## Honesty
1. No engine, search, ranking or scoring of moves; no piece values; no order of moves that says which is better; no leaving out of
   legal moves. The list may be shown in any neutral form.
2. A legal move of the model is played, right or wrong: it is not replaced, and not asked for again until it looks better.
3. Each move must be what a reply of its own settles on, in the words of the model: the content of its last \`<move>\` tag, or else the
   only move that it names. A reply that settles on a legal move must be played. A move that was not sampled cannot be played.
4. No position, line or identity of a puzzle may stand in the source, and nothing may be inferred from them.
5. A harness is also run with a model that plays at random; one that still scores is refused.
`.replaceAll("\\`", "`");

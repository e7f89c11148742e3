/** Phrase bank: texts that may stand in the constants of h0. None of them says anything about a position. */
import type { PhraseBank } from "../../src/rollout/domain.ts";

/** Phrases by constant; `{observation}` and `{notice}` are filled in by the harness. */
export const PHRASES: PhraseBank = {
  SYSTEM_PROMPT: [
    "You play chess.",
    "Find checkmate.",
    "A move with # is mate.",
    "Find the best move. Reply with <move>uci</move>.",
    "Pick a move from the list and write it in <move> and </move>.",
  ],
  USER_PROMPT: [
    "{observation}\nReply with <move>uci</move>.",
    "{observation}\nWhich move do you play? Write <move>uci</move>.",
    "{observation}\nWhich move gives mate? Reply with <move>uci</move>.",
    "{observation}\nFind the move with #. Reply with <move>uci</move>.",
    "{observation}\nIs there a mate? Give your move as <move>e2e4</move>.",
    "Choose one legal move and write <move>uci</move>.\n{observation}",
  ],
  NEXT_PROMPT: [
    "{observation}\nReply with <move>uci</move>.",
    "{observation}\nFind the move with #. Reply with <move>uci</move>.",
    "{observation}\nWhich move gives mate? Write <move>uci</move>.",
    "{observation}\nWhich move do you play now? Write <move>uci</move>.",
  ],
  RETRY_PROMPT: [
    "{notice} Try again.",
    "{notice} Choose from the list.",
    "{notice}\nChoose one legal move and write <move>uci</move>.",
    "That move is not legal. Choose from the list. {notice}",
  ],
};

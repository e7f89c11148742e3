/** What a proposer should know about search-qa, as Markdown. */

/** The guide; names no data set, so that a harness cannot be written for one. */
export const GUIDE: string = String.raw`# search-qa

A task is a question whose answer stands in a corpus that the model can search. It does not know the facts; it has to look them up.

## Contract
- \`task.question\` is all that the harness sees. \`solve(task, env)\` returns a **text**: the answer, or a text whose last \`<answer>...</answer>\`
  holds it. It must equal a right answer as a whole; case, punctuation, articles and extra spaces do not matter.
- \`env.chat(messages, { maxTokens, stop, prefill })\` gives \`{ text, finish, tokens }\`; \`text\` begins with the prefill.
- \`env.tools.search(query, { topK, maxTokens, ranking })\` gives the best passages, \`[{ title, text, isCut }]\`; each text is cut at
  \`maxTokens\` tokens (a token is up to six letters, up to three digits, or another sign) and then ends in \`...\`. \`ranking\` is
  \`"lexical"\`; where an embedder is configured also \`"dense"\` and \`"fused"\`, the default there.
- Tokens, turns and tool calls are counted over the whole rollout, and what does not fit the model's context is lost.

## Axes
- **prompt text**: SYSTEM_PROMPT, USER_PROMPT, and where they stand.
- **worked example**: \`exampleMessages\` returns chats to show first. Take them from accepted rollouts of training tasks.
- **query rewriting**: \`rewriteQuery\`: words of the question or of earlier queries beside those that the model wrote.
- **retrieval parameters**: TOP_K, PASSAGE_LENGTH, \`runSearch\`.
- **observation format**: OBSERVATION, \`formatResults\`: how passages are laid out and what follows them.
- **state line**: \`stateLine\`: the question again, or the titles seen so far, behind the results.
- **retry**: what happens after a reply without query or answer: NUDGE, \`respond\`, \`shouldStop\`.
- **turn budget**: how many turns at most: MAX_TURNS, \`shouldStop\`. A question may need two searches, the second with what the first found.
- **prefill**: how replies begin. A prefill must end where a token ends.
- **answer parsing**: \`parseQuery\`, \`parseAnswer\`: which part of a reply counts.

## Honesty
1. The harness must not answer. It passes on what the model sampled; it does not pick words out of passages.
2. The answer must have been sampled by the model in this rollout, not only stand in a prefill or in a passage.
3. A query may combine what the model wrote with the question; a harness that searches without any model call has to show the
   model what it found and let it answer.
4. No answer, list of answers or text about particular questions may stand in the source.
5. A harness is also run with a model that talks at random; one that still scores is refused.
`.replaceAll("\\`", "`");

/** What a proposer should know about math-reasoning, as Markdown. */

/** The guide; names no data set, so that a harness cannot be written for one. */
export const GUIDE: string = String.raw`# math-reasoning

A task is a question with a number (sometimes a formula) for an answer. The model cannot reckon reliably, but it can have code run.

## Contract
- \`task.question\` is all that the harness sees. \`solve(task, env)\` returns a **text**; the content of its last complete \`\boxed{...}\`
  must equal the answer as a string. Outer spaces, \`$\`, a plus sign, thousands commas and a decimal part of zeros do not matter. No box, no reward.
- \`env.chat(messages, { maxTokens, stop, prefill })\` gives \`{ text, finish, tokens }\`; \`text\` begins with the prefill.
- \`env.tools.run(code)\` gives \`{ ok, output }\`. The code is one JavaScript module (strict: names must be declared) in an isolate of its
  own; nothing is kept between calls. Output is what \`print(...)\` or \`console.log(...)\` wrote, nothing else. After an error \`ok\` is
  false and the output ends with the error. There are also \`gcd, lcm, factorial, perm, comb, modpow, modinv, isPrime, factor,
  divisors, frac, solveLinear, sum, range\`, all exact.
- Tokens, turns and tool calls are counted over the whole rollout; the policy and its sampling are not the harness's business.

## Axes
- **prompt text**: SYSTEM_PROMPT, USER_PROMPT, and where they stand.
- **worked example**: \`exampleMessages\` returns chats to show first. Take them from accepted rollouts of training tasks.
- **code normalisation**: which part of a reply is code, and mending its form.
- **tool feedback**: what the model reads after a run: FEEDBACK, \`formatOutput\`.
- **retry**: what happens after a failed run or a reply without code or box: NUDGE, \`respond\`, \`shouldStop\`.
- **turn budget**: how many turns at most: MAX_TURNS, \`shouldStop\`.
- **prefill**: how replies begin. A prefill must end where a token ends.
- **answer parsing**: which reply counts, and how the value is read from it.

## Honesty
1. The harness must not reckon. It passes on what the model sampled or what the tool gave for the model's code; it does not read numbers
   out of the question, write code of its own from it, or try values.
2. The value in the box must have been sampled by the model in this rollout. Output of the tool goes to the model, not into the box.
3. Mending code may change its form (fences, declarations, a missing print), never its numbers or operators' meaning.
4. No answer, list of answers or text about particular problems may stand in the source.
5. A harness is also run with a model that talks at random; one that still scores is refused.
`.replaceAll("\\`", "`");

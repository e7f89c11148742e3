/** Chats whose answer must be copied from the prompt: names, list items, values of keys, facts of a short text. */
import { assistant, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import { drawName, drawNames } from "./names.ts";
import { drawAnswerTagRequest, drawPersona } from "./tool-phrases.ts";
import { describe, drawPerson, drawWorld, FIELDS } from "./world.ts";

type Task = { readonly prompt: string; readonly reply: string };

/** One copy chat of one to four turns. */
export function copyTranscript(draw: Draw): Transcript {
  const make = draw.weighted<(draw: Draw) => Task>([
    [0.18, repeatTask],
    [0.2, listTask],
    [0.22, keyValueTask],
    [0.34, readingTask],
    [0.06, quoteTask],
  ]);
  const isTagged = draw.chance(0.3);
  const tag = isTagged ? drawAnswerTagRequest(draw) : "";
  const isSystem = draw.chance(0.3);
  const persona = isSystem ? joinParts([drawPersona(draw), draw.chance(0.5) ? tag : ""], " ") : "";
  const messages = persona === "" ? [] : [system(persona)];
  const turns = draw.chance(0.7) ? 1 : draw.between(2, 4);
  // Long texts fill a training row on their own.
  for (let turn = 0, size = 0; turn < turns && size < 500; turn += 1) {
    const { prompt, reply } = make(draw);
    const instruction = turn === 0 && !persona.includes(tag) ? tag : "";
    messages.push(
      user(joinParts([prompt, instruction], draw.pick([" ", "\n"]))),
      assistant(isTagged ? `<answer>${reply}</answer>` : reply),
    );
    size += prompt.length;
  }
  return { messages, family: "copy" };
}

function drawThing(draw: Draw): string {
  return draw.weighted([
    [0.4, drawName],
    [0.25, drawPerson],
    [0.15, (d: Draw) => String(d.between(10, 9999))],
    [0.2, (d: Draw) => drawNames(d, d.between(2, 4)).join(" ")],
  ])(draw);
}

function repeatTask(draw: Draw): Task {
  const text = drawThing(draw);
  return {
    prompt: fill(
      draw.pick([
        "Repeat: {t}",
        "Say {t}.",
        "Repeat the following: {t}",
        "Write {t}.",
        "Copy this: {t}",
        "Echo {t}",
        'Repeat "{t}".',
        "Please say {t} again.",
      ]),
      { t: text },
    ),
    reply: text,
  };
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];

function listTask(draw: Draw): Task {
  const names = drawNames(draw, draw.between(2, 6));
  const at = draw.int(names.length);
  const isLast = draw.chance(0.2);
  const list = names.join(draw.pick([", ", ", ", "; ", "\n", " "]));
  const which = isLast ? "last" : (ORDINALS[at] ?? "first");
  const prompt = fill(
    draw.pick([
      "{l}\nWhat is the {w} name?",
      "Here is a list: {l}. Which one is the {w}?",
      "What is the {w} item of {l}?",
      "List: {l}\nGive the {w} item.",
      "Names: {l}. Say the {w}.",
    ]),
    { l: list, w: which },
  );
  return { prompt, reply: (isLast ? names.at(-1) : names[at]) ?? "" };
}

function keyValueTask(draw: Draw): Task {
  const keys = drawNames(draw, draw.between(2, 6));
  const values = keys.map(() => drawThing(draw));
  const form = draw.pick(["{k} = {v}", "{k}: {v}", "{k} -> {v}", "The {k} is {v}.", "{k} has {v}", '"{k}": "{v}"']);
  const rows = keys.map((key, index) => fill(form, { k: key, v: values[index] ?? "" }));
  const at = draw.int(keys.length);
  const question = fill(
    draw.pick([
      "What is {k}?",
      "{k}?",
      "Give the value of {k}.",
      "Look up {k}.",
      "{k} =",
      "Which value belongs to {k}?",
    ]),
    { k: keys[at] ?? "" },
  );
  return {
    prompt: rows.join(draw.pick(["\n", "; ", ", "])) + draw.pick(["\n", "\n\n", " "]) + question,
    reply: values[at] ?? "",
  };
}

/** A text, then a question whose answer stands in it. */
function readingTask(draw: Draw): Task {
  const world = drawWorld(draw);
  const entity = draw.pick(world);
  const field = draw.pick(Object.keys(entity.facts));
  const others = draw.shuffle(world.filter((other) => other !== entity)).slice(
    0,
    draw.weighted([
      [0.5, 0],
      [0.3, 1],
      [0.2, 2],
    ]),
  );
  const texts = draw.shuffle([describe(draw, entity, field), ...others.map((other) => describe(draw, other))]);
  const question = fill(draw.pick(FIELDS[entity.kind][field]?.questions ?? []), { n: entity.name });
  const isTagged = draw.chance(0.2);
  const plain = texts.join(draw.pick(["\n", "\n\n", " "]));
  const text = isTagged
    ? `<information>\n${texts.map((row, index) => `[${String(index + 1)}] ${row}`).join("\n")}\n</information>`
    : plain;
  const prompt = draw.chance(0.75)
    ? `${draw.pick(["", "", "Text: ", "Read the text. ", "Context: "])}${text}\n${draw.pick(["", "Question: "])}${question}`
    : `${question}\n${text}`;
  return { prompt, reply: entity.facts[field] ?? "" };
}

function quoteTask(draw: Draw): Task {
  const entity = draw.pick(drawWorld(draw));
  const text = describe(draw, entity);
  const sentences = text.split(/(?<=\.) /);
  const isFirst = draw.chance(0.5);
  return {
    prompt: `${draw.pick(["Quote", "Copy", "Repeat"])} the ${isFirst ? "first" : "last"} sentence. ${text}`,
    reply: (isFirst ? sentences[0] : sentences.at(-1)) ?? "",
  };
}

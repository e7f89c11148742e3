import { existsSync, readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WeightsError } from "../../src/base/errors.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { ChatMessage } from "../../src/text/chat.ts";
import { createChatCodec, readChatTemplate, readEndIds } from "../../src/text/chat-codec.ts";
import { createSegmentEncoder } from "../../src/text/segment-encoder.ts";
import { createTokenizer } from "../../src/text/tokenizer.ts";
import { CHATML_TEMPLATE, toyTokenizerFiles } from "../support/toy-tokenizer.ts";

const FOLDER = "../shared/data/models";
const TEMPLATES = ["qwen2_5", "qwen3", "qwen3_instruct_2507"];
const hasData = existsSync(`${FOLDER}/chat_template_cases.json`);

const files = toyTokenizerFiles();
const tokenizer = createTokenizer(files);
const START = tokenizer.idOf("<|im_start|>")!;
const END = tokenizer.idOf("<|im_end|>")!;

const codecOf = (template: string): ReturnType<typeof createChatCodec> =>
  createChatCodec({ tokenizer, template, endIds: [END], vocabulary: tokenizer.size });
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const readTemplate = (name: string): string =>
  name === "chatml"
    ? CHATML_TEMPLATE
    : name === "qwen3_tokenizer_config"
      ? readChatTemplate(JSON.parse(readFileSync(`${FOLDER}/${name}.json`, "utf8")) as JsonValue)
      : readFileSync(`${FOLDER}/chat_templates/${name}.jinja`, "utf8");

type RenderCase = {
  readonly template: string;
  readonly name: string;
  readonly input: { readonly messages: ChatMessage[]; readonly add_generation_prompt: boolean };
  readonly rendered: string;
};

describe("createChatCodec", () => {
  const codec = codecOf(CHATML_TEMPLATE);

  it("encodes a chat up to the assistant's next token", () => {
    const ids = codec.encodePrompt([{ role: "system", content: "the" }, user("42")], { prefill: "answer" });
    const text = "<|im_start|>system\nthe<|im_end|>\n<|im_start|>user\n42<|im_end|>\n<|im_start|>assistant\n";
    expect(ids).toEqual([...tokenizer.encode(text), ...tokenizer.encode("answer")]);
  });

  it("splices sampled ids that tokenising their text would not give", () => {
    const split = tokenizer.encode("the").concat(tokenizer.encode(" ans"), tokenizer.encode("wer"), [END]);
    expect(split).not.toEqual([...tokenizer.encode("the answer"), END]);
    const ids = codec.encodePrompt([user("42"), assistant("the answer"), user("Output")], {
      sampled: (content) => (content === "the answer" ? split : undefined),
    });
    const before = tokenizer.encode("<|im_start|>user\n42<|im_end|>\n<|im_start|>assistant\n");
    const after = tokenizer.encode("\n<|im_start|>user\nOutput<|im_end|>\n<|im_start|>assistant\n");
    expect(ids).toEqual([...before, ...split, ...after]);
  });

  it("closes the turn when what was sampled had no end token", () => {
    const ids = codec.encodePrompt([user("42"), assistant("the"), user("42")], { sampled: () => [1, 2, 3] });
    const at = ids.indexOf(1);
    expect(ids.slice(at, at + 5)).toEqual([1, 2, 3, END, tokenizer.encode("\n")[0]]);
    expect(ids.filter((id) => id === END)).toHaveLength(3);
  });

  it("makes each later prompt begin with the earlier one and what was sampled after it", () => {
    const known = new Map<string, number[]>();
    const messages: ChatMessage[] = [user("the answer")];
    let earlier: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const prompt = codec.encodePrompt(messages, { prefill: "42", sampled: (content) => known.get(content) });
      expect(prompt.slice(0, earlier.length)).toEqual(earlier);
      const sampled = [...tokenizer.encode("42"), ...tokenizer.encode("th"), turn + 65, END];
      const content = tokenizer.decode(sampled);
      known.set(content, sampled);
      earlier = [...prompt, ...sampled.slice(tokenizer.encode("42").length)];
      messages.push(assistant(content), user(`Output ${String(turn)}`));
    }
  });

  it("encodes the same as the whole text when nothing was sampled", () => {
    const role = fc.constantFrom("user" as const, "assistant" as const);
    const word = fc.constantFrom(
      "the",
      " the",
      "answer",
      "é",
      "e\u0301",
      "\u0301",
      "😀",
      "\n",
      " ",
      "<|im_end|>",
      "<think>",
    );
    const content = fc.array(word, { maxLength: 8 }).map((words) => words.join(""));
    const names = hasData ? ["chatml", ...TEMPLATES] : ["chatml"];
    const codecs = new Map(names.map((name) => [name, codecOf(readTemplate(name))]));
    fc.assert(
      fc.property(
        fc.array(fc.record({ role, content }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...names),
        (messages, name) => {
          const whole = new Template(readTemplate(name)).render({ messages, add_generation_prompt: true });
          expect(codecs.get(name)!.encodePrompt(messages)).toEqual(tokenizer.encode(whole));
        },
      ),
      { numRuns: 200, seed: 8 },
    );
  });

  it("keeps its place when a message holds private-use characters like its own marks", () => {
    const nasty = user("\u{E000}0\u{E002}0\u{E001}");
    const ids = codec.encodePrompt([nasty, assistant("the"), nasty], { sampled: () => [7] });
    const text = `<|im_start|>user\n${nasty.content}<|im_end|>\n`;
    expect(ids).toEqual([
      ...tokenizer.encode(`${text}<|im_start|>assistant\n`),
      7,
      ...tokenizer.encode(`<|im_end|>\n${text}<|im_start|>assistant\n`),
    ]);
  });

  it.skipIf(!hasData)("splices into the real Qwen templates over several turns", () => {
    const sampled = new Map([
      ["<think>\n1\n</think>\n\nthe", [START + 3, 1, 2, END]],
      ["42", [9, 9, 9]],
    ]);
    const messages = [user("a"), assistant("<think>\n1\n</think>\n\nthe"), user("b"), assistant("42"), user("c")];
    for (const name of TEMPLATES) {
      const ids = codecOf(readTemplate(name)).encodePrompt(messages, { sampled: (content) => sampled.get(content) });
      const system = name === "qwen2_5" ? "You are Qwen, created by Alibaba Cloud. You are a helpful assistant." : "";
      const head = system === "" ? "" : `<|im_start|>system\n${system}<|im_end|>\n`;
      expect(ids, name).toEqual([
        ...tokenizer.encode(`${head}<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n`),
        ...[START + 3, 1, 2],
        ...tokenizer.encode("<|im_end|>\n<|im_start|>user\nb<|im_end|>\n<|im_start|>assistant\n"),
        ...[9, 9, 9],
        ...tokenizer.encode("<|im_end|>\n<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n"),
      ]);
    }
  });

  it.skipIf(!hasData)("encodes the recorded renders of the real templates", () => {
    const cases = JSON.parse(readFileSync(`${FOLDER}/chat_template_cases.json`, "utf8")) as RenderCase[];
    let seen = 0;
    for (const { template, name, input, rendered } of cases) {
      // Other roles, tools and closed chats are not in the codec's contract.
      if (!input.add_generation_prompt || input.messages.some((message) => typeof message.content !== "string"))
        continue;
      const { messages, ...variables } = input;
      const source = readTemplate(template);
      const one = createChatCodec({ tokenizer, template: source, endIds: [END], vocabulary: 1e6, variables });
      expect(one.encodePrompt(messages), `${template} ${name}`).toEqual(tokenizer.encode(rendered));
      seen += 1;
    }
    expect(seen).toBeGreaterThanOrEqual(20);
  });

  it("names the fault when template, tokenizer and model do not fit", () => {
    const good = { tokenizer, template: CHATML_TEMPLATE, endIds: [END], vocabulary: tokenizer.size };
    expect(() => createChatCodec({ ...good, vocabulary: 100 })).toThrow("the model scores 100");
    expect(() => createChatCodec({ ...good, endIds: [] })).toThrow("no token ends an assistant turn");
    expect(() => createChatCodec({ ...good, template: "{% for %}" })).toThrow(/^chat template: cannot be parsed/);
    const raising = createChatCodec({ ...good, template: "{{ raise_exception('no system role') }}" });
    expect(() => raising.encodePrompt([user("a")])).toThrow("chat template: cannot be rendered, no system role");
    const twice = codecOf("{% for m in messages %}{{ m.content }}{% endfor %}{{ messages[0].content }}");
    expect(() => twice.encodePrompt([assistant("a")], { sampled: () => [1] })).toThrow(WeightsError);
  });
});

describe("readChatTemplate", () => {
  it("finds the template as text or in a list, and says when there is none", () => {
    expect(readChatTemplate({ chat_template: "a" })).toBe("a");
    expect(readChatTemplate({ chat_template: [{ name: "default", template: "b" }] })).toBe("b");
    expect(() => readChatTemplate({})).toThrow("no chat_template");
  });
});

describe("readEndIds", () => {
  it("joins the ids of all its sources", () => {
    const text = tokenizer.idOf("<|endoftext|>")!;
    expect(readEndIds({ tokenizer, config: { eos_token: "<|endoftext|>" } })).toEqual([text, END]);
    expect(readEndIds({ tokenizer, config: {}, generation: { eos_token_id: [3, END] } })).toEqual([3, END]);
    expect(readEndIds({ tokenizer, config: { eos_token: { content: "<think>" } }, generation: {} })).toEqual([
      END,
      tokenizer.idOf("<think>"),
    ]);
  });
});

describe("createSegmentEncoder", () => {
  it("gives the ids of the tokenizer however often and in whatever order it is asked", () => {
    const encode = createSegmentEncoder(tokenizer);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("<|im_end|>", "the ", "answer", "\n", "<|im_", "é"), { maxLength: 9 }),
        (parts) => {
          const text = parts.join("");
          expect(encode(text)).toEqual(tokenizer.encode(text));
        },
      ),
      { numRuns: 200, seed: 9 },
    );
  });
});

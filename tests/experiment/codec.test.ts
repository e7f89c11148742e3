import { describe, expect, it } from "vitest";
import { openCodec } from "../../src/experiment/model-policy.ts";
import { parseDecoderConfig } from "../../src/model/decoder-config.ts";
import { openFolder } from "../../src/platform/node/folder.ts";
import { readJsonFile } from "../../src/weights/checkpoint.ts";
import type { FolderReader } from "../../src/weights/folder.ts";

/** As templates of Qwen ask: whether the caller said anything, and what. */
const TEMPLATE = [
  "{%- for message in messages %}{{ message.content }}{%- endfor %}",
  "{%- if enable_thinking is defined %}{{ ' thinks' if enable_thinking else ' answers' }}{%- endif %}",
].join("");

async function openWith(template: string): Promise<FolderReader> {
  const folder = await openFolder("models/tiny");
  const read: FolderReader["read"] = (path) =>
    path === "chat_template.jinja" ? Promise.resolve(new TextEncoder().encode(template)) : folder.read(path);
  return { name: folder.name, read };
}

describe("openCodec", () => {
  it.each([
    [{}, "2 and 3"],
    [{ thinking: "" }, "2 and 3"],
    [{ thinking: "on" }, "2 and 3 thinks"],
    [{ thinking: "off" }, "2 and 3 answers"],
  ])("tells the chat template of %j", async (options, expected) => {
    const folder = await openWith(TEMPLATE);
    const config = parseDecoderConfig(await readJsonFile(folder, "config.json"));
    const codec = await openCodec(folder, { config, values: new Map() }, options);
    expect(codec.decode(codec.encodePrompt([{ role: "user", content: "2 and 3" }]))).toBe(expected);
  });
});

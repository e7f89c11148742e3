/**
 * A language model's endpoint on the loopback that plays a scripted agent in Anthropic's wire format: it looks at the
 * archive, reads the leader's source as the tools give it, changes a text in it, and writes the candidate.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";

/** One request as it came in. */
export type SeenRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: JsonObject;
};

/** A running endpoint; disposing closes it. */
export type AgentServer = AsyncDisposable & {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
};

/** What the endpoint answers; `status` other than 200 goes with an error body. */
export type Answer = { readonly status?: number; readonly body: JsonValue };

/** Serves `answer` on a free port of the loopback. */
export async function serveAgent(answer: (request: SeenRequest) => Answer): Promise<AgentServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject;
      const request = { path: incoming.url ?? "", headers: incoming.headers, body };
      requests.push(request);
      const { status = 200, body: said } = answer(request);
      outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Tokens that each scripted reply says it cost: 100 read and 10 written. */
export const REPLY_TOKENS = 110;

/** A message as it comes in: all content is blocks, of which some hold a text and some a tool's result. */
type Turn = {
  readonly role: string;
  readonly content: readonly { readonly text?: string; readonly content?: string }[];
};

/** The body of an Anthropic reply. */
export function anthropicReply(blocks: readonly JsonObject[], stop?: string): JsonObject {
  const isCall = blocks.some(({ type }) => type === "tool_use");
  return {
    type: "message",
    role: "assistant",
    content: blocks,
    stop_reason: stop ?? (isCall ? "tool_use" : "end_turn"),
    usage: { input_tokens: 60, cache_read_input_tokens: 30, cache_creation_input_tokens: 10, output_tokens: 10 },
  };
}

/** A tool call as a block. */
export function toolUse(name: string, input: JsonObject, id = `id-${name}`): JsonObject {
  return { type: "tool_use", id, name, input };
}

/**
 * Four turns that put `after` in place of `before` in the leader's source. A program without `before` is written as it is,
 * with a remark ahead of it.
 */
export function improveBy(before: string, after: string): (request: SeenRequest) => Answer {
  return ({ body }) => {
    const turns = body["messages"] as unknown as readonly Turn[];
    const done = turns.filter(({ role }) => role === "assistant").length;
    return { body: anthropicReply(actionOf(turns, done, { before, after })) };
  };
}

function actionOf(
  turns: readonly Turn[],
  done: number,
  { before, after }: Record<"before" | "after", string>,
): JsonObject[] {
  const leader = /beat is (\w+)/.exec(turns[0]?.content[0]?.text ?? "")?.[1] ?? "h0";
  switch (done) {
    case 0:
      return [
        { type: "text", text: "I look at what is there." },
        toolUse("Glob", { pattern: "**" }),
        toolUse("Read", { path: "guide.md" }),
      ];
    case 1:
      return [
        toolUse("Read", { path: `harnesses/${leader}/harness.js` }),
        toolUse("Grep", { pattern: "no answer|wrong value", files: "harnesses/*/causes.json" }),
      ];
    case 2: {
      const source = turns.at(-1)?.content[0]?.content ?? "";
      const record = { parent: leader, axis: "prompt", hypothesis: `"${after}" makes the model take care.` };
      return [
        toolUse("Write", { path: "proposals/1/harness.js", content: source.replace(before, after) }, "a"),
        toolUse("Write", { path: "proposals/1/candidate.json", content: JSON.stringify(record) }, "b"),
      ];
    }
    default:
      return [{ type: "text", text: "Done." }];
  }
}

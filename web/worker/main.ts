/** The worker: one request in, one reply out; what each command does is in `lab.ts`. */
import type { LabEvent, LabReply, LabRequest } from "../protocol/messages.ts";
import { createLab } from "./lab.ts";
import { toProblem } from "./problems.ts";

const lab = createLab((event: LabEvent) => {
  globalThis.postMessage(event);
});

globalThis.addEventListener("message", ({ data }: MessageEvent<LabRequest>) => {
  void answer(data);
});

async function answer(request: LabRequest): Promise<void> {
  let reply: LabReply;
  try {
    reply = { kind: "reply", id: request.id, ok: true, value: await lab(request) };
  } catch (error) {
    reply = { kind: "reply", id: request.id, ok: false, problem: toProblem(error) };
  }
  globalThis.postMessage(reply);
}

globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  globalThis.postMessage({ kind: "problem", run: "", problem: toProblem(event.reason) } satisfies LabEvent);
});

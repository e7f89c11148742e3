/** When what has changed is drawn, and how work is spread so that no task of the page is a long one. */
import type { Later } from "./store.ts";

const waiting: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  waiting.shift()?.();
};

/** A task of its own, as soon as the browser has nothing more urgent; a timer would wait at least 4 ms. */
export const nextTask: Later = (work) => {
  waiting.push(work);
  channel.port2.postMessage(undefined);
};

/**
 * Waits for a frame, or for a moment where the tab is hidden and draws no frames. The work comes in a task after the frame,
 * so that it and the browser's own layout and paint do not add up to one.
 */
export const nextFrame: Later = (work) => {
  if (document.visibilityState === "hidden") setTimeout(work, 100);
  else
    requestAnimationFrame(() => {
      nextTask(work);
    });
};

/** `work`, done once in a task of its own however often it is asked for before. */
export function once(work: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    nextTask(() => {
      isPlanned = false;
      work();
    });
  };
}

/** When what has changed is drawn. */
import type { Later } from "./store.ts";

/** Waits for a frame, or for a moment where the tab is hidden and draws no frames. */
export const nextFrame: Later = (work) => {
  if (document.visibilityState === "hidden") setTimeout(work, 100);
  else requestAnimationFrame(work);
};

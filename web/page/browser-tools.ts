/** What the controller asks of the browser, done. */
import type { BrowserTools } from "./tools.ts";

/** Milliseconds in which a browser has taken a file over. */
const HANDED_OVER = 10_000;

/** This browser. */
export const browserTools: BrowserTools = {
  persist: () => navigator.storage.persist(),
  save: (fileName, zip) => {
    const url = URL.createObjectURL(new Blob([zip as Uint8Array<ArrayBuffer>], { type: "application/zip" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = fileName;
    link.click();
    setTimeout(() => {
      URL.revokeObjectURL(url);
    }, HANDED_OVER);
  },
};

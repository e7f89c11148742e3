/** ONNX Runtime's one entry serves both of its builds, each from a module of its own: a worker tries them one after the other. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { launchChromium } from "../support/lab-page.ts";
import { servePage } from "../support/page-server.ts";

test("the entry under two addresses is two modules with settings of their own", async () => {
  const folder = inject("pageFolder");
  const entries = (await readdir(join(folder, "assets"))).filter((file) => /^ort.*js$/.test(file));
  expect(entries).toHaveLength(1);
  await using server = await servePage(folder, { isolated: true });
  const browser = await launchChromium();
  try {
    const page = await (await browser.newContext({ serviceWorkers: "block" })).newPage();
    await page.goto(server.url);
    const url = `${server.url}assets/${entries[0] ?? ""}`;
    const paths = await page.evaluate<readonly unknown[]>(`(async () => {
      const [wasm, webgpu] = [await import("${url}?wasm"), await import("${url}?webgpu")];
      wasm.env.wasm.wasmPaths = "plain/";
      webgpu.env.wasm.wasmPaths = "asyncify/";
      return [wasm.env.wasm.wasmPaths, webgpu.env.wasm.wasmPaths, wasm.InferenceSession === webgpu.InferenceSession];
    })()`);
    expect(paths).toEqual(["plain/", "asyncify/", false]);
  } finally {
    await browser.close();
  }
});

/** A static host on loopback, as plain as they come: files below a path, with or without the headers that threads need. */
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, relative } from "node:path";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** A host that is up. */
export type PageServer = AsyncDisposable & {
  readonly url: string;
  /** Files that were fetched, by their paths in the folder, in order. */
  readonly fetched: readonly string[];
};

/** Serves `folder` at `/lab/`. */
export async function servePage(folder: string, options: { readonly isolated: boolean }): Promise<PageServer> {
  const fetched: string[] = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? "/").split("?")[0] ?? "/")).replace(/^\/lab\//, "/");
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    fetched.push(relative(folder, file));
    readFile(file).then(
      (bytes) => {
        response.writeHead(200, {
          "Content-Type": MEDIA_TYPES[extname(file)] ?? "application/octet-stream",
          "Cache-Control": "no-cache",
          ...(options.isolated && {
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Embedder-Policy": "require-corp",
          }),
        });
        response.end(bytes);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the server has no port");
  return {
    fetched,
    url: `http://127.0.0.1:${String(address.port)}/lab/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

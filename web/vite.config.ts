/**
 * The page as a static folder. `vite` serves it on loopback with the headers that threads need; `vite build` makes `dist/`,
 * which works below any path of any static host.
 *
 * Files that are fetched at run time under fixed names (ONNX Runtime's WASM builds, the tiny model) lie in `engine/`. The
 * service worker gets the list of all files with their hashes. Mode `test` adds the page that the tests drive.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";
import type { BuildFile } from "./service-worker-files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WEB = join(ROOT, "web");
const ORT = join(ROOT, "node_modules/onnxruntime-web/dist");

/** What `SharedArrayBuffer`, and so threads, ask of a host. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Files of `engine/` by their names in it. */
function engineFiles(): ReadonlyMap<string, string> {
  const ort = ["ort-wasm-simd-threaded", "ort-wasm-simd-threaded.asyncify"]
    .flatMap((name) => [`${name}.mjs`, `${name}.wasm`])
    .map((name): [string, string] => [name, join(ORT, name)]);
  const models = readdirSync(join(ROOT, "models")).flatMap((model) =>
    readdirSync(join(ROOT, "models", model))
      .filter((file) => file !== "README.md")
      .map((file): [string, string] => [`models/${model}/${file}`, join(ROOT, "models", model, file)]),
  );
  return new Map([...ort, ...models]);
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  mjs: "text/javascript",
  wasm: "application/wasm",
  json: "application/json",
};

function engineFolder(): Plugin {
  const files = engineFiles();
  return {
    name: "engine-folder",
    configureServer: (server) => {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? "").split("?")[0] ?? "";
        const file = path.startsWith("/engine/") ? files.get(path.slice("/engine/".length)) : undefined;
        if (file === undefined) {
          // A page's address is not a file: what is missing must say so.
          if (path.startsWith("/engine/")) response.writeHead(404).end();
          else next();
          return;
        }
        const type = MEDIA_TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream";
        response.writeHead(200, { "Content-Type": type, ...ISOLATION });
        createReadStream(file).pipe(response);
      });
    },
    generateBundle() {
      for (const [name, file] of files)
        this.emitFile({ type: "asset", fileName: `engine/${name}`, source: readFileSync(file) });
    },
  };
}

/** What is only fetched when it is needed: a page that never opens WebGPU never downloads it. */
const ON_DEMAND = /asyncify|\.map$/;

function offlineList(): Plugin {
  return {
    name: "offline-list",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = Object.values(bundle).find(({ fileName }) => fileName === "service-worker.js");
      if (worker?.type !== "chunk") return;
      const files = Object.values(bundle)
        .filter(({ fileName }) => fileName !== worker.fileName)
        .map((file): BuildFile => ({
          path: file.fileName,
          hash: createHash("sha256")
            .update(file.type === "chunk" ? file.code : file.source)
            .digest("hex")
            .slice(0, 16),
          isNeeded: !ON_DEMAND.test(file.fileName),
        }))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
      worker.code = worker.code.replace(/["'`]FILES_OF_THE_BUILD["'`]/, () => JSON.stringify(JSON.stringify(files)));
    },
  };
}

/**
 * Tasks of the page are made from a seed; it opens no data files, as `web/worker/tasks.ts` tells whoever asks. What decodes
 * them, 97 KB of script, stays out, and says so if it were called after all.
 */
const DECODERS: Readonly<Record<string, readonly string[]>> = {
  hyparquet: ["parquetMetadata", "parquetReadObjects", "parquetSchema"],
  "hyparquet-compressors": ["compressors"],
  fzstd: ["Decompress"],
};

function withoutDecoders(): Plugin {
  const prefix = "\0no-decoder:";
  return {
    name: "without-decoders",
    enforce: "pre",
    resolveId: (id) => (id in DECODERS ? `${prefix}${id}` : undefined),
    load: (id) => {
      const names = id.startsWith(prefix) ? (DECODERS[id.slice(prefix.length)] ?? []) : undefined;
      const refuse =
        'function refuse() { throw new TypeError("This page opens no data files; use the command line."); }';
      return names && [refuse, ...names.map((name) => `export { refuse as ${name} };`)].join("\n");
    },
  };
}

/** Modules that only define things; what is not used of them is left out, although most do not say so in a package.json. */
const PURE = /\/node_modules\/(acorn|acorn-walk|astring|diff|@huggingface\/(jinja|tokenizers))\/|\/(src|domains)\//;
const TREESHAKE = { moduleSideEffects: (id: string): boolean => !PURE.test(id.replace(ROOT, "/")) };

export default defineConfig(({ mode }) => {
  const pages = ["index.html", ...(mode === "test" ? ["harness.html"] : [])].filter((page) =>
    existsSync(join(WEB, page)),
  );
  return {
    root: WEB,
    base: "./",
    publicDir: existsSync(join(WEB, "public")) ? "public" : false,
    resolve: { conditions: ["onnxruntime-web-use-extern-wasm", ...defaultClientConditions] },
    // Packages that find their WASM beside their own code must stay where they are.
    optimizeDeps: { exclude: ["onnxruntime-web", "@jitl/quickjs-wasmfile-release-sync", "quickjs-emscripten-core"] },
    plugins: [withoutDecoders(), engineFolder(), offlineList()],
    worker: { format: "es", plugins: () => [withoutDecoders()], rollupOptions: { treeshake: TREESHAKE } },
    server: {
      host: "127.0.0.1",
      port: 5173,
      headers: ISOLATION,
      fs: { allow: [ROOT, realpathSync(join(ROOT, "node_modules"))] },
    },
    preview: { host: "127.0.0.1", port: 4173, headers: ISOLATION },
    build: {
      outDir: join(ROOT, "dist"),
      emptyOutDir: true,
      target: "es2023",
      // Browsers that know the language of the target know `modulepreload`.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      rollupOptions: {
        treeshake: TREESHAKE,
        input: {
          ...Object.fromEntries(pages.map((page) => [page.replace(".html", ""), join(WEB, page)])),
          "service-worker": join(WEB, "service-worker.ts"),
        },
        output: {
          entryFileNames: ({ name }) => (name === "service-worker" ? "service-worker.js" : "assets/[name]-[hash].js"),
        },
      },
    },
  };
});

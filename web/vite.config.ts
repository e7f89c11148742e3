/**
 * The page as a static folder. `vite` serves it on loopback with the headers that threads need; `vite build` makes `dist/`,
 * which works below any path of any static host.
 *
 * Files that are fetched at run time under fixed names (ONNX Runtime's WASM builds, the tiny model) lie in `engine/`. The
 * service worker gets the list of all files with their hashes. Mode `test` adds the page that the tests drive.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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

/**
 * The harness editor colours by patterns and never builds a syntax tree, so what CodeMirror carries for languages, 15 KB of
 * script in gzip, stays out.
 */
const NO_SYNTAX = fileURLToPath(new URL("./page/editor/no-syntax.ts", import.meta.url));
const SYNTAX = new Set(["@codemirror/language", "@lezer/common", "@lezer/highlight"]);

/** The package `codemirror` as far as the page needs it: its `minimalSetup` without colours of a syntax tree. */
const MINIMAL_SETUP = `
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { drawSelection, highlightSpecialChars, keymap } from "@codemirror/view";
export const minimalSetup = [
  highlightSpecialChars(), history(), drawSelection(), keymap.of([...defaultKeymap, ...historyKeymap]),
];`;

function withoutSyntax(): Plugin {
  const setup = "\0minimal-setup";
  return {
    name: "without-syntax",
    enforce: "pre",
    resolveId: (id) => (id === "codemirror" ? setup : SYNTAX.has(id) ? NO_SYNTAX : undefined),
    load: (id) => (id === setup ? MINIMAL_SETUP : undefined),
  };
}

/**
 * ONNX Runtime's entry for WebGPU drives its plain WASM build too, so the entry for that build alone, 15 KB, stays out. One
 * module can hold one build, and a worker tries both: it gets the same file under two addresses, which are two modules.
 */
function oneOrtEntry(): Plugin {
  const entry = /^onnxruntime-web\/(wasm|webgpu)$/;
  const prefix = "\0ort:";
  return {
    name: "one-ort-entry",
    apply: "build",
    enforce: "pre",
    resolveId: (id) => (entry.test(id) ? `${prefix}${id.replace(entry, "$1")}` : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return undefined;
      const source = readFileSync(join(ORT, "ort.webgpu.min.mjs"), "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "");
      const file = this.emitFile({ type: "asset", name: "ort.mjs", source });
      const address = `\`\${import.meta.ROLLUP_FILE_URL_${file}}?${id.slice(prefix.length)}\``;
      return `export const { env, InferenceSession, Tensor } = await import(/* @vite-ignore */ ${address});`;
    },
  };
}

/** Modules of packages that hold tables, which are fetched as JSON: a browser reads that faster than script. */
const TABLES = /\/node_modules\/(?:countries-list\/mjs\/\w+\.js|periodic-table\/data\.json)$/;

function tablesAsJson(): Plugin {
  return {
    name: "tables-as-json",
    apply: "build",
    enforce: "pre",
    load: {
      filter: { id: TABLES },
      handler: async function (id) {
        const tables = await readTables(id);
        const name = id.endsWith("index.js") ? "countries.json" : `${basename(id).split(".")[0] ?? ""}.json`;
        const file = this.emitFile({ type: "asset", name, source: JSON.stringify(tables) });
        const code = [
          `const response = await fetch(import.meta.ROLLUP_FILE_URL_${file});`,
          'if (!response.ok) throw new TypeError("A table of facts could not be loaded; reload the page.");',
          "const tables = await response.json();",
          ...Object.keys(tables).map((key) =>
            key === "default" ? "export default tables.default;" : `export const ${key} = tables.${key};`,
          ),
        ];
        return { code: code.join("\n"), moduleType: "js" };
      },
    },
  };
}

/** The tables of a module, by the names of its exports; its functions are left out. */
async function readTables(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (path.endsWith(".json")) return { default: JSON.parse(readFileSync(path, "utf8")) as unknown };
  const exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(exported).filter(([, value]) => typeof value === "object"));
}

/** The page reads no games in PGN; the parser for them, generated code of 20 KB, is left out with its one call. */
function withoutPgnParser(): Plugin {
  const call = "const parsedPgn = peg$parse(pgn);";
  return {
    name: "without-pgn-parser",
    transform: {
      filter: { id: /\/node_modules\/chess\.js\/dist\/esm\/chess\.js$/ },
      handler: (code) => {
        if (!code.includes(call)) throw new TypeError(`chess.js no longer holds ${call}; see web/vite.config.ts`);
        return code.replace(call, 'throw new TypeError("This page reads no games in PGN.");');
      },
    },
  };
}

/** Modules that only define things; what is not used of them is left out, although most do not say so in a package.json. */
const PURE = /\/node_modules\/(acorn|acorn-walk|astring|diff|@huggingface\/(jinja|tokenizers))\/|\/(src|domains)\//;
/** What keeps the script small, in the page and in its worker. */
const lean = (): Plugin[] => [withoutDecoders(), withoutSyntax(), oneOrtEntry(), tablesAsJson(), withoutPgnParser()];
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
    plugins: [...lean(), engineFolder(), offlineList()],
    worker: { format: "es", plugins: lean, rollupOptions: { treeshake: TREESHAKE } },
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

/**
 * Makes the page work offline after its first load: all files of the build but those of WebGPU are stored when the worker
 * is installed, the rest when they are first fetched. Responses go through unchanged, headers included, so threads are
 * there offline where the host sent COOP and COEP, and nowhere else.
 */
import type { BuildFile } from "./service-worker-files.ts";

/** The part of a service worker's scope that is used; it has no type beside that of a dedicated worker. */
type ServiceWorkerScope = {
  readonly registration: { readonly scope: string };
  readonly clients: { readonly claim: () => Promise<void> };
  readonly skipWaiting: () => Promise<void>;
  readonly addEventListener: (
    kind: "install" | "activate" | "fetch",
    listener: (event: {
      readonly request: Request;
      readonly waitUntil: (work: Promise<unknown>) => void;
      readonly respondWith: (response: Promise<Response>) => void;
    }) => void,
  ) => void;
};

const scope = globalThis as unknown as ServiceWorkerScope;
/** The build puts its list here. */
const files = JSON.parse("FILES_OF_THE_BUILD") as readonly BuildFile[];
const known = new Map(files.map((file) => [new URL(file.path, scope.registration.scope).href, file]));

/** One cache for all builds, with the hash in the key: what did not change is not fetched again. */
const CACHE = "spyhop-files";

scope.addEventListener("install", (event) => {
  event.waitUntil(install());
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(clean().then(() => scope.clients.claim()));
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const file = request.method === "GET" ? fileOf(request) : undefined;
  if (file) event.respondWith(answer(request, file));
});

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const [url, file] of known) {
    if (!file.isNeeded || (await cache.match(keyOf(url, file)))) continue;
    const response = await fetch(url, { cache: "no-cache" });
    if (!response.ok) throw new TypeError(`${file.path}: the server answered ${String(response.status)}`);
    await cache.put(keyOf(url, file), response);
  }
  await scope.skipWaiting();
}

/** Drops what no file of this build uses. */
async function clean(): Promise<void> {
  const cache = await caches.open(CACHE);
  const wanted = new Set([...known].map(([url, file]) => keyOf(url, file)));
  for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
}

/** The file that `request` asks for; a folder's address, such as the page's own, is its `index.html`. */
function fileOf(request: Request): readonly [string, BuildFile] | undefined {
  const url = new URL(request.url);
  url.search = "";
  url.hash = "";
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  const file = known.get(url.href);
  return file && [url.href, file];
}

async function answer(request: Request, [url, file]: readonly [string, BuildFile]): Promise<Response> {
  const cache = await caches.open(CACHE);
  const stored = await cache.match(keyOf(url, file));
  if (stored) return stored;
  const response = await fetch(request);
  if (response.ok && response.status === 200) await cache.put(keyOf(url, file), response.clone());
  return response;
}

function keyOf(url: string, { hash }: BuildFile): string {
  return `${url}?${hash}`;
}

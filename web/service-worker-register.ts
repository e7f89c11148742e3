/** The page's side of the service worker. */

/**
 * Makes the page work offline from now on, in a build; the development server has none. Resolves with whether it does;
 * a browser that refuses (private browsing, plain HTTP) simply stays online.
 */
export async function registerOffline(): Promise<boolean> {
  if (!("serviceWorker" in navigator) || import.meta.hot) return false;
  try {
    await navigator.serviceWorker.register(new URL("service-worker.js", location.href), { type: "module" });
    await navigator.serviceWorker.ready;
    return true;
  } catch {
    return false;
  }
}

/** A `FolderReader` over files below a URL, such as the model that a page ships with. Each file is fetched once. */
import { describeError, WeightsError } from "../../base/errors.ts";
import type { FolderReader } from "../../weights/folder.ts";

/** Opens the folder at `url`, which ends with a slash; `name` is what messages call it. */
export function openUrlFolder(url: string, name: string): FolderReader {
  const files = new Map<string, Promise<Uint8Array | undefined>>();
  return {
    name,
    read: (path) => {
      const known = files.get(path);
      if (known) return known;
      const fetched = fetchFile(new URL(path, url), `${name}/${path}`);
      files.set(path, fetched);
      // A failed download may succeed when it is asked for again.
      fetched.catch(() => files.delete(path));
      return fetched;
    },
  };
}

async function fetchFile(url: URL, name: string): Promise<Uint8Array | undefined> {
  try {
    const response = await fetch(url);
    if (response.status === 404) return undefined;
    // Some static hosts answer every unknown path with their start page.
    if (response.headers.get("content-type")?.startsWith("text/html") === true) return undefined;
    if (!response.ok) throw new WeightsError(`the server answered ${String(response.status)}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw new WeightsError(`${name}: ${describeError(cause)}; check the connection and reload the page`, { cause });
  }
}

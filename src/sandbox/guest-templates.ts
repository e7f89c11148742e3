/** Memory images in which all but a guest's module stands ready: its host object made, its prelude run. */
import type { MemoryImage } from "./engine.ts";
import type { GuestProgram } from "./isolate.ts";

/** Bytes of images that are kept in all. */
const MOST_BYTES = 32 * 2 ** 20;

/** An image, and the polls that it took to make. */
export type Template = { readonly image: MemoryImage; readonly polls: number };

/** Templates by what they hold; those used longest ago go first. */
export class GuestTemplates {
  readonly #kept = new Map<string, Template>();
  #bytes = 0;

  /** The template under `key`. */
  get(key: string): Template | undefined {
    const template = this.#kept.get(key);
    if (template === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, template);
    return template;
  }

  /** Keeps `template` under `key`. */
  add(key: string, template: Template): void {
    this.#kept.set(key, template);
    this.#bytes += template.image.length;
    for (const [oldest, { image }] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= image.length;
    }
  }

  /** Forgets all. */
  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

/** Names the state that programs share which differ in their source alone. */
export function settingKey({ host, hostValues = {}, limits, prelude }: GuestProgram): string {
  return JSON.stringify([Object.keys(host), Object.keys(hostValues), limits.output, prelude ?? null]);
}

/** What the parts of the controller share. */
import type { Lab } from "../worker/port.ts";
import type { Look } from "./model/address.ts";
import type { RunView } from "./model/run-view.ts";
import type { NoticeActions } from "./notices.ts";
import type { Recorded } from "./recorded.ts";
import type { Actions, PageState } from "./state.ts";
import type { Store } from "./store.ts";

/** What the controller asks of the browser itself. */
export type BrowserTools = {
  /** Asks that nothing stored here be evicted; whether that was granted. Only a page can ask, not a worker. */
  readonly persist: () => Promise<boolean>;
  /** Hands a file to the person. */
  readonly save: (fileName: string, zip: Uint8Array) => void;
};

/** What the controller needs. */
export type ControllerParts = {
  readonly store: Store<PageState>;
  readonly lab: Lab;
  readonly recorded: Recorded;
  readonly browser: BrowserTools;
};

/** Actions that choose the run that is shown. */
export type ShowActions = Pick<Actions, "show" | "toggleCompare" | "replay">;

/** What every action uses. */
export type Tools = ControllerParts &
  NoticeActions & {
    /** Views of runs that are under way, kept whether or not they are shown. */
    readonly live: Map<string, RunView>;
  };

/** Changes parts of what is looked at. */
export function setLook({ store }: Pick<Tools, "store">, change: Partial<Look>): void {
  store.set({ look: { ...store.get().look, ...change } });
}

/** What goes wrong, or is worth saying, as messages on the page; none of it ends in the console. */
import type { Problem } from "../protocol/lab.ts";
import { ProblemError } from "../worker/port.ts";
import type { Actions, Notice, PageState } from "./state.ts";
import type { Store } from "./store.ts";

/** What can be done with messages. */
export type NoticeActions = Pick<Actions, "report" | "notify" | "dismiss">;

/** The messages of `store`. */
export function createNotices(store: Store<PageState>): NoticeActions {
  let lastId = 0;
  const notify = (notice: Omit<Notice, "id">): void => {
    lastId += 1;
    const isSame = (other: Notice): boolean => other.what === notice.what && other.more === notice.more;
    store.set({
      notices: [...store.get().notices.filter((other) => !isSame(other)), { ...notice, id: lastId }].slice(-4),
    });
  };
  return {
    notify,
    report: (error) => {
      const { what, safe, next } = problemOf(error);
      notify({ tone: "problem", what, more: `${safe} ${next}`.trim(), action: undefined });
    },
    dismiss: (id) => {
      store.set({ notices: store.get().notices.filter((notice) => notice.id !== id) });
    },
  };
}

/** Whatever was thrown, in the words of a problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const what = error instanceof Error ? error.message : String(error);
  return { kind: "internal", what, safe: "What is stored is untouched.", next: "Reload the page if it happens again." };
}

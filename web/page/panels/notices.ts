/** Messages: what happened, what is safe, what to do. They stay until they are closed, and no error hides in the console. */
import { fill, h } from "../dom.ts";
import type { Notice } from "../state.ts";
import type { App } from "../state.ts";

/** The place for messages. */
export function createNotices({ store, actions }: App): HTMLElement {
  const element = h("div", { class: "notices", role: "region", "aria-label": "Messages", "aria-live": "polite" });
  store.watch(
    ({ notices, isOnline }) => [notices, isOnline],
    ([notices]) => {
      fill(
        element,
        notices.map((notice) => drawNotice(notice, actions.dismiss)),
      );
    },
  );
  return element;
}

function drawNotice({ id, tone, what, more, action }: Notice, dismiss: (id: number) => void): HTMLElement {
  return h(
    "div",
    { class: `notice ${tone}`, role: tone === "problem" ? "alert" : undefined },
    h("div", {}, h("b", {}, what), more === "" ? null : h("p", {}, more)),
    action === undefined
      ? null
      : h(
          "button",
          {
            type: "button",
            class: "button small",
            onclick: () => {
              dismiss(id);
              action.run();
            },
          },
          action.label,
        ),
    h(
      "button",
      {
        type: "button",
        class: "button quiet small",
        "aria-label": "Close this message",
        onclick: () => {
          dismiss(id);
        },
      },
      "✕",
    ),
  );
}

/**
 * HTML by tagged template. Everything interpolated is escaped unless it was made by `html` or `raw` itself, so that no
 * text of a model, a harness or a task can become markup.
 */

/** A piece of finished markup. */
export type Html = { readonly markup: string };

/** What may stand in a template: text, numbers, markup, lists of them; undefined and false leave nothing. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[];

/** Markup of a template; strings and numbers are escaped. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const pieces = parts.map((part, i) => part + (i < values.length ? toMarkup(values[i]) : ""));
  return { markup: pieces.join("") };
}

/** Takes `markup` as it is; for constants of ours only. */
export function raw(markup: string): Html {
  return { markup };
}

/** `text` with the five characters that HTML gives a meaning to replaced. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function toMarkup(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return escapeHtml(String(value));
  return "markup" in value ? value.markup : value.map(toMarkup).join("");
}

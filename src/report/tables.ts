/** Nested JSON (ledger, config) as tables that a person can scan. */
import { isJsonArray, isJsonObject, type JsonValue } from "../base/json.ts";
import { formatCount } from "./chart.ts";
import { html, type Html } from "./html.ts";

/** Every leaf of `value` with its dotted path, in the order of the document. */
export function flattenJson(value: JsonValue, path = ""): readonly { readonly path: string; readonly text: string }[] {
  if (isJsonObject(value)) {
    const entries = Object.entries(value).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
    return entries.flatMap(([key, field]) => flattenJson(field, path === "" ? key : `${path}.${key}`));
  }
  const isPlainList = isJsonArray(value) && value.every((item) => typeof item !== "object" || item === null);
  if (isJsonArray(value) && !isPlainList) return value.flatMap((item, i) => flattenJson(item, `${path}[${String(i)}]`));
  return [{ path, text: formatLeaf(value) }];
}

/** A table of paths and values. */
export function drawTable(value: JsonValue, caption: string): Html {
  return html`<table class="facts">
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${flattenJson(value).map(
        ({ path, text }) =>
          html`<tr>
            <th scope="row"><code>${path}</code></th>
            <td class="figure">${text}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function formatLeaf(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isInteger(value) ? formatCount(value) : String(value);
  return JSON.stringify(value);
}

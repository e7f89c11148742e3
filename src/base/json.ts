/** JSON values and their one canonical text: keys sorted, no spaces, so that equal values have equal bytes. */

/** Anything that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; a key whose value is undefined counts as absent. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/**
 * The canonical JSON text of `value`.
 * @throws {TypeError} If a number is not finite, since JSON would turn it into null.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`canonicalJson: numbers must be finite, got ${String(value)}`);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const field = value[key];
      return field === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(field)}`];
    });
  return `{${fields.join(",")}}`;
}

/** Whether `value` is a JSON array (`Array.isArray` does not narrow readonly arrays). */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether `value` is a JSON object, not an array and not null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

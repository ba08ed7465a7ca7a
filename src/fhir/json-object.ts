/** A JSON object with unknown content. */
export type JsonObject = { readonly [key: string]: unknown };

/** The value as an object; an empty one for other values. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** True for a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of an array; empty for other values. */
export const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The strings of an array; empty for other values. */
export const stringsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

/** The value if it is a string. */
export const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

import type { Definition } from './definition.ts';
import { isObject } from './json-object.ts';
import type { JsonObject } from './json-object.ts';
import { reduce, withoutConcepts } from './reduce.ts';

/**
 * Whether two definitions say the same: `text`, `meta`, `id` and the order of keys do not count. What the R4 pack holds is
 * reduced, so another definition is compared with it in that form.
 */
export function sameContent(a: Definition, b: Definition): boolean {
  const [left, right] = [content(a.resource()), content(b.resource())];
  if (!a.core && !b.core) return print(left) === print(right);
  const [core, other] = a.core ? [left, right] : [right, left];
  const fuller = core['content'] === 'not-present' ? withoutConcepts(other) : other;
  return print(reduce(core)) === print(reduce(fuller));
}

/** What counts: a differential does not beside the snapshot that was made of it, nor mappings to other standards. */
export function content(resource: JsonObject): JsonObject {
  const { text: _text, meta: _meta, id: _id, mapping: _mapping, ...rest } = resource;
  if (rest['resourceType'] !== 'StructureDefinition' || !isObject(rest['snapshot'])) return rest;
  const { differential: _differential, ...withSnapshot } = rest;
  return withSnapshot;
}

/** JSON text with sorted keys. */
export const print = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );

import type { Definition } from './definition.ts';
import { isObject, objectsOf } from './json-object.ts';
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

/**
 * What counts: a differential does not beside the snapshot that was made of it, nor mappings to other standards, nor what an
 * element says to its readers.
 */
export function content(resource: JsonObject): JsonObject {
  const { text: _text, meta: _meta, id: _id, mapping: _mapping, ...rest } = resource;
  if (rest['resourceType'] === 'ImplementationGuide') return withoutContents(rest);
  if (rest['resourceType'] !== 'StructureDefinition') return rest;
  const { snapshot, differential, ...definition } = rest;
  if (isObject(snapshot)) return { ...definition, snapshot: elements(snapshot) };
  return isObject(differential) ? { ...definition, differential: elements(differential) } : definition;
}

/** A guide lists all of its pages and examples, which define nothing. */
function withoutContents({ definition: _definition, manifest: _manifest, ...guide }: JsonObject): JsonObject {
  return guide;
}

const elements = (part: JsonObject): JsonObject => ({
  ...part,
  element: objectsOf(part['element']).map(element => {
    const { definition: _definition, comment: _comment, requirements: _requirements, ...rest } = element;
    const { mapping: _mapping, alias: _alias, ...counts } = rest;
    return counts;
  }),
});

/** JSON text with sorted keys. */
export const print = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );

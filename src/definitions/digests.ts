import { hash } from 'node:crypto';
import { isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { reduce } from './reduce.ts';

/** Digests of the content of a definition, for comparisons. */
export interface Digests {
  /** The digest of all relevant content. */
  readonly whole: string;
  /** The digest of its reduced form. */
  readonly reduced: string;
}

/** The digests of a definition; computing them costs several times as much as parsing it. */
export function digestsOf(resource: JsonObject): Digests {
  return { whole: digestOf(resource, 'whole'), reduced: digestOf(resource, 'reduced') };
}

export function digestOf(resource: JsonObject, form: keyof Digests): string {
  const counts = content(resource);
  switch (form) {
    case 'whole':
      return hash('sha256', print(counts));
    case 'reduced':
      return hash('sha256', print(reduce(counts)));
    default:
      return form satisfies never;
  }
}

/**
 * The relevant content: without a differential if there is its snapshot, mappings to other standards, and the prose of
 * elements.
 */
export function content(resource: JsonObject): JsonObject {
  const { text: _text, meta: _meta, id: _id, mapping: _mapping, ...rest } = resource;
  if (rest['resourceType'] === 'ImplementationGuide') return withoutContents(rest);
  if (rest['resourceType'] !== 'StructureDefinition') return rest;
  const { snapshot, differential, ...definition } = rest;
  if (isObject(snapshot)) return { ...definition, snapshot: elements(snapshot) };
  return isObject(differential) ? { ...definition, differential: elements(differential) } : definition;
}

/** A guide lists its pages and examples, which define nothing. */
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

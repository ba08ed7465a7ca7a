import { asObject, asString } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { parseCanonical } from '../fhir/reference.ts';
import { compareVersions } from './definitions.ts';
import type { Definitions } from './definitions.ts';
import { definitionOf } from './definition.ts';
import type { Definition, StoredDefinition } from './definition.ts';

/** The text of a record as a definition, which is parsed when it is used, and not kept for long. */
export function storedDefinition({
  type,
  id,
  text,
}: {
  readonly type: string;
  readonly id: string;
  readonly text: string;
}): StoredDefinition {
  const bytes = Buffer.from(text); // outside of the heap
  let kept: WeakRef<JsonObject> | undefined;
  const read = (): JsonObject => {
    const known = kept?.deref();
    if (known !== undefined) return known; // what is compiled of it is cached by this object
    const parsed = asObject(JSON.parse(bytes.toString()));
    kept = new WeakRef(parsed);
    return parsed;
  };
  return describe(asObject(JSON.parse(text)), { type, id, size: bytes.length }, read);
}

/** A record that is not stored yet as a definition. */
export const givenDefinition = (resource: JsonObject, id: string): StoredDefinition =>
  describe(resource, { type: String(resource['resourceType']), id, size: 0 }, () => resource);

const describe = (
  resource: JsonObject,
  { type, id, size }: { readonly type: string; readonly id: string; readonly size: number },
  read: () => JsonObject,
): StoredDefinition => ({
  ...definitionOf(resource, { file: `${type}/${id}`, path: '', package: undefined }, read),
  id,
  status: asString(resource['status']),
  size,
});

/**
 * The records of a partition above other definitions: a canonical without version is the newest record with its url,
 * else what is below; one with a version is a record of this version, else what is below. Of records with one url and
 * version the one with the least id applies. https://hl7.org/fhir/R4/references.html#canonical
 */
export function definitionsAbove(below: Definitions, records: readonly StoredDefinition[]): Definitions {
  const sorted = records.filter(({ url }) => url !== '').toSorted((a, b) => (a.id < b.id ? 1 : -1));
  // The last one of several with one url and version stays.
  const distinct = new Map(sorted.map(one => [JSON.stringify([one.resourceType, one.url, one.version]), one]));
  const byType = Map.groupBy(distinct.values(), ({ resourceType }) => resourceType);
  const byUrl = new Map([...byType].map(([type, of]) => [type, Map.groupBy(of, ({ url }) => url)]));
  const all = new Map<string, readonly Definition[]>();
  return {
    above: { below, records },
    find(resourceType, canonical) {
      const { url, version } = parseCanonical(canonical);
      const found = byUrl.get(resourceType)?.get(url);
      if (found === undefined) return below.find(resourceType, canonical);
      if (version === undefined) return newestOf(found);
      return found.find(one => one.version === version) ?? below.find(resourceType, canonical);
    },
    versions(resourceType, url) {
      const own = byUrl.get(resourceType)?.get(url) ?? [];
      return [...own.toSorted((a, b) => compareVersions(b.version, a.version)), ...below.versions(resourceType, url)];
    },
    all(resourceType) {
      const own = byType.get(resourceType);
      if (own === undefined) return below.all(resourceType);
      const known = all.get(resourceType) ?? [...below.all(resourceType), ...own];
      all.set(resourceType, known);
      return known;
    },
  };
}

/** The one with the newest version; the first of several with one version. */
export const newestOf = <D extends Definition>(found: readonly D[]): D | undefined =>
  found.reduce<D | undefined>(
    (best, next) => (best === undefined || compareVersions(next.version, best.version) > 0 ? next : best),
    undefined,
  );

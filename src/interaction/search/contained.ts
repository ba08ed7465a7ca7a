import { items, properties } from '../../fhir/resource-text.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import { withOnly } from '../../indexing/only.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Contained, Inside, Query } from '../../search/ast.ts';
import { type ContainedIndexed, type Indexed, matches } from '../../search/matches.ts';
import { readAs } from '../../model/bare-parameter.ts';
import { hasJoins, parametersOf } from '../../search/walk.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import type { Place } from './joined.ts';

/** A contained resource. */
export interface ContainedResource {
  readonly type: string;
  /** Its id within the container, without `#`. */
  readonly id: string;
  /** Its JSON as stored: numbers keep their digits. */
  readonly text: string;
}

/** The contained resources of a stored text. Throws `TextDamaged` for a text that is not JSON. */
function containedResources(text: string): readonly ContainedResource[] {
  const found = properties(text).find(({ name }) => name === '"contained"');
  if (found === undefined) return [];
  parseStored(text);
  return items(found.value).flatMap(one => {
    const { resourceType, id } = parseStored(one) as { resourceType?: unknown; id?: unknown }; // stored JSON
    if (typeof resourceType !== 'string') return [];
    return [{ type: resourceType, id: typeof id === 'string' ? id : '', text: one }];
  });
}

/** The records with the entries of their contained resources that the tests need. */
export function withContained(
  indexed: readonly Indexed[],
  records: readonly StoredVersion[],
  tests: readonly Contained[],
  place: Place,
): readonly Indexed[] {
  if (tests.length === 0) return indexed;
  return indexed.map((one, at) => ({
    ...one,
    contained: tests.flatMap(test => indexedContained(test, records[at]?.text ?? '{}', one.lastUpdated, place)),
  }));
}

/** The contained resources of a type in a record that match a query without joins. */
export function containedMatches(
  record: StoredVersion,
  type: ResourceType,
  query: Query,
  place: Place,
): readonly ContainedResource[] {
  const { text = '{}' } = record;
  const lastUpdated = place.partition.timeOf?.(record) ?? record.lastUpdated;
  const only = withOnly(type, parametersOf(query));
  return containedResources(text).filter(
    one => one.type === type.name && matches(query, { id: one.id, lastUpdated, entries: entriesOf(one, only, place) }),
  );
}

/** The resources inside of a record to which the parameter of a chain leads, each as a record of its own. */
export function recordsInside(
  { from, param, type, of }: Inside,
  container: StoredVersion,
  { partition, extract }: Place,
): readonly StoredVersion[] {
  const { text = '{}' } = container;
  if (!mayHaveInside(text, type)) return [];
  const only = withOnly(from, [readAs(param, 'inside')]);
  const values = extract(only, text, { id: partition.id, zone: partition.settings.zone }).map(({ value }) => value);
  const ids = new Set(values.flatMap(value => (value.kind === 'uri' ? [value.uri] : [])));
  const contained = ids.size === 0 ? [] : recordsContained(container, type, of).filter(({ id }) => ids.has(id));
  const parts = values.flatMap(value => (value.kind === 'string' ? [partOf(value.text)] : []));
  return [
    ...contained,
    ...parts.filter(one => one.type === type.name).map(part => ({ ...container, ...part, owners: undefined })),
  ];
}

/**
 * The contained resources of a type, each as a record of its own with the time of its container. One whose matching
 * follows references has the other contained resources too.
 */
export function recordsContained(container: StoredVersion, type: ResourceType, of: Query): readonly StoredVersion[] {
  const { text = '{}' } = container;
  if (!mayHaveInside(text, type)) return [];
  const all = containedResources(text);
  const others = hasJoins(of) ? `,"contained":[${all.map(one => one.text).join()}]}` : undefined;
  return all
    .filter(one => one.type === type.name)
    .map(one => ({
      ...container,
      ...one,
      text: others === undefined ? one.text : one.text.slice(0, one.text.lastIndexOf('}')) + others,
      owners: undefined,
    }));
}

/** A text without the name of the type has no resource of it. */
const mayHaveInside = (text: string, { name }: ResourceType): boolean => text.includes(`"${name}"`);

function partOf(text: string): ContainedResource {
  const { resourceType, id } = JSON.parse(text) as { resourceType?: unknown; id?: unknown };
  return { type: String(resourceType), id: typeof id === 'string' ? id : '', text };
}

function indexedContained(
  { type, of }: Contained,
  text: string,
  lastUpdated: number,
  place: Place,
): readonly ContainedIndexed[] {
  const only = withOnly(type, parametersOf(of));
  return containedResources(text)
    .filter(one => one.type === type.name)
    .map(one => ({ type: one.type, id: one.id, lastUpdated, entries: entriesOf(one, only, place) }));
}

const entriesOf = ({ text }: ContainedResource, type: ResourceType, { partition, extract }: Place) =>
  extract(type, text, { id: partition.id, zone: partition.settings.zone });

import { items, properties } from '../../fhir/resource-text.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import { withOnly } from '../../indexing/only.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Contained, Query } from '../../search/ast.ts';
import { type ContainedIndexed, type Indexed, matches } from '../../search/matches.ts';
import { parametersOf } from '../../search/walk.ts';
import type { StoredVersion } from '../../store/records.ts';
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

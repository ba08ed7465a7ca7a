import { narrowed } from '../auth/restrict.ts';
import { ownerType } from '../auth/owned-by.ts';
import { isId } from '../fhir/id.ts';
import { belowBase } from '../fhir/reference.ts';
import { TextDamaged } from '../fhir/stored-text.ts';
import type { Model, ResourceType, SearchParam } from '../model/model.ts';
import { splitUnion } from '../model/branch.ts';
import type { Extract } from '../indexing/extract.ts';
import type { PartitionIdentity } from '../store/partitions.ts';

/** Adds the ids of the owners of a record, by the access links of its type. */
export type AddPatients = (
  found: Set<string>,
  record: { readonly type: string; readonly id: string; readonly text: string | undefined },
  partition: PartitionIdentity,
) => void;

/**
 * Creates the function that finds the owners of records; a damaged record has none, and is left out of the event. For
 * most records a text search for references suffices; the others are parsed as for the index, at ten times the cost.
 */
export function createAddPatients(model: Model, extract: Extract, publicUrl: string): AddPatients {
  const owner = ownerType(model);
  const links = new Map<string, Links | undefined>();
  return (found, { type: name, id, text }, partition) => {
    if (owner === undefined || text === undefined) return;
    if (name === owner) {
      found.add(id);
      return;
    }
    if (!links.has(name)) links.set(name, linksOf(model.types.get(name), owner));
    const link = links.get(name);
    if (link === undefined || addAtSight(found, text, `${owner}/`, link.before)) return;
    const place = { id: partition.id, zone: partition.settings.zone };
    for (const { value } of entriesOf(extract, link.type, text, place)) {
      if (value.kind !== 'reference') continue;
      const named = value.url === undefined ? value : belowBase(`${publicUrl}/r4/${partition.id}`, value.url);
      if (named?.type === owner && named.id !== undefined) found.add(named.id);
    }
  };
}

function entriesOf(extract: Extract, ...[type, text, place]: Parameters<Extract>): ReturnType<Extract> {
  try {
    return extract(type, text, place);
  } catch (error) {
    if (error instanceof TextDamaged) return [];
    throw error;
  }
}

interface Links {
  /** The type with the parameters of its links only. */
  readonly type: ResourceType;
  /**
   * The text before the references of the links: `"subject":{"reference":"`; undefined if the text search does not
   * suffice.
   */
  readonly before: readonly string[] | undefined;
}

function linksOf(type: ResourceType | undefined, owner: string): Links | undefined {
  if (type === undefined) return undefined;
  const params = type.accessLinks.flatMap(({ parameter }): SearchParam[] => {
    const param = type.indexed.get(parameter);
    return param !== undefined && (param.targets.length === 0 || param.targets.includes(owner)) ? [param] : [];
  });
  if (params.length === 0) return undefined;
  const names = params.flatMap(({ expression }) => splitUnion(expression).map(elementOf));
  const before = names.flatMap(name => (name === undefined ? [] : [`"${name}":{"reference":"`]));
  return { type: narrowed(type, params), before: before.length === names.length ? before : undefined };
}

/** The last element of a plain path, as in `Type.part.element.where(resolve() is Other)`. */
const elementOf = (expression: string): string | undefined =>
  /^\(?\s*\w+(?:\.\w+)*\.(\w+)(?:\.where\(\s*resolve\(\) is \w+\s*\))?\s*\)?$/.exec(expression.trim())?.[1];

/**
 * False if the text does not suffice: an escape, a contained resource, an absolute reference or one of another form.
 */
function addAtSight(found: Set<string>, text: string, owner: string, before: readonly string[] | undefined): boolean {
  // Searching for one rare character is the cheapest.
  const isEscaped = text.includes('\\') && /\\[u/]/.test(text);
  if (before === undefined || isEscaped || text.includes('contained":')) return false;
  const seen: string[] = [];
  for (let at = text.indexOf(owner); at >= 0;) {
    const start = at + owner.length;
    const end = text.indexOf('"', start);
    const id = text.slice(start, end);
    const at0 = at;
    if (!isId(id) || !before.some(prefix => text.startsWith(prefix, at0 - prefix.length))) return false;
    seen.push(id);
    at = text.indexOf(owner, end);
  }
  for (const id of seen) found.add(id);
  return true;
}

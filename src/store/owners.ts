import { createHash } from 'node:crypto';
import { ownersOf } from '../indexing/owners.ts';
import type { IndexEntry } from '../indexing/entry.ts';
import type { ResourceType } from '../model/model.ts';

/** Raise it whenever owners are derived differently (indexing/owners.ts). */
const ownersVersion = 1;

/**
 * The owners of a record as stores keep them: behind a digest of the links that they follow from, with spaces between,
 * so that owners by other definitions are known as such. References have no white space.
 */
export function printOwners(type: ResourceType, entries: readonly IndexEntry[]): string {
  return [digestOf(type), ...ownersOf(type, entries)].join(' ');
}

/**
 * The owners in such a text; undefined if they were not derived by these definitions, so that their reader derives
 * them, and for a type whose records belong to nobody.
 */
export function parseOwners(type: ResourceType | undefined, text: string | undefined): readonly string[] | undefined {
  if (type === undefined || type.accessLinks.length === 0 || text === undefined) return undefined;
  const [digest, ...owners] = text.split(' ');
  return digest === digestOf(type) ? owners : undefined;
}

const digests = new WeakMap<ResourceType, string>();

function digestOf(type: ResourceType): string {
  const known = digests.get(type);
  if (known !== undefined) return known;
  const links = type.accessLinks.map(({ compartment, parameter }) => [
    compartment,
    parameter,
    type.indexed.get(parameter)?.digest,
  ]);
  const digest = createHash('sha256')
    .update(JSON.stringify([ownersVersion, links]))
    .digest('base64url')
    .slice(0, 8);
  digests.set(type, digest);
  return digest;
}

import { createHash } from 'node:crypto';
import type { IndexEntry } from '../../indexing/entry.ts';
import { ownersOf } from '../../indexing/owners.ts';
import type { ResourceType } from '../../model/model.ts';

/** Raise it whenever owners are derived differently (indexing/owners.ts). */
const ownersVersion = 1;

/**
 * The owners of a record as the stores keep them: a digest of the links from which they are derived, and the
 * references, separated by spaces. The digest identifies owners that were derived by other definitions. References
 * contain no spaces.
 */
export function printOwners(type: ResourceType, entries: readonly IndexEntry[]): string {
  return [derivationOf(type).digest, ...ownersOf(type, entries)].join(' ');
}

/**
 * The owners in a stored text; undefined if other definitions derived them, so that the reader must derive them, and
 * for types without owners.
 */
export function parseOwners(type: ResourceType | undefined, text: string | undefined): readonly string[] | undefined {
  if (type === undefined || type.accessLinks.length === 0 || text === undefined) return undefined;
  const derived = derivationOf(type);
  if (derived.text !== text) {
    derived.text = text;
    derived.owners = ownersIn(text, derived.digest);
  }
  return derived.owners;
}

/** The references behind a digest; undefined behind another one. Most records have one. */
function ownersIn(text: string, digest: string): readonly string[] | undefined {
  if (!text.startsWith(digest)) return undefined;
  if (text.length === digest.length) return [];
  if (text[digest.length] !== ' ') return undefined;
  const owners = text.slice(digest.length + 1);
  return owners.includes(' ') ? owners.split(' ') : [owners];
}

/**
 * Whether a stored text differs from what `printOwners` makes. Owners by other definitions do not, since they are not
 * used; what no definitions make does, and a value of another type.
 */
export function ownersDiffer(type: ResourceType, stored: unknown, made: string | undefined): boolean {
  if (stored === undefined || stored === null) return false;
  if (typeof stored !== 'string' || !/^[\w-]{8}(?: |$)/.test(stored)) return true;
  return parseOwners(type, stored) !== undefined && stored !== made;
}

/** How owners of a type are derived, and the text that was read last: the records of a page mostly have one owner. */
interface Derivation {
  readonly digest: string;
  text: string | undefined;
  owners: readonly string[] | undefined;
}

const derivations = new WeakMap<ResourceType, Derivation>();

function derivationOf(type: ResourceType): Derivation {
  const known = derivations.get(type);
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
  const derivation: Derivation = { digest, text: undefined, owners: undefined };
  derivations.set(type, derivation);
  return derivation;
}

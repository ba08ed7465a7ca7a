import { parseCanonical } from '../fhir/reference.ts';
import { asObject } from '../fhir/json-object.ts';
import type { Definition, StoredDefinition } from './definition.ts';
import type { Problem } from './problem.ts';
import { digestOf } from './digests.ts';
import type { Digests } from './digests.ts';

/** All definitions, one for each url and version. */
export interface Definitions {
  /**
   * Finds a definition by canonical: the version that it names, else the newest; definitions of the R4 packs and
   * incomplete ones have the lowest rank.
   */
  find(resourceType: string, canonical: string): Definition | undefined;
  /** All versions of a url: the one that `find` returns without a version first, then from the newest to the oldest. */
  versions(resourceType: string, url: string): readonly Definition[];
  all(resourceType: string): readonly Definition[];
  /** The records of a partition among them, and the definitions below these. Undefined: all of them are files. */
  readonly above?: { readonly below: Definitions; readonly records: readonly StoredDefinition[] };
}

/**
 * Selects one definition for each url and version: others replace those of the R4 pack and incomplete ones; inside one
 * package the last file wins (a ValueSet keeps its compose and takes the expansion); identical content is accepted;
 * anything else is a problem. Each replacement is one notice.
 */
export function indexDefinitions(found: readonly Definition[]): {
  readonly definitions: Definitions;
  readonly problems: readonly Problem[];
  readonly notices: readonly string[];
} {
  const problems: Problem[] = [];
  const notices: string[] = [];
  const byType = new Map<string, Map<string, readonly Definition[]>>();
  for (const definition of found) {
    const { resourceType, url, version } = definition;
    const byUrl = byType.get(resourceType) ?? new Map<string, readonly Definition[]>();
    const versions = byUrl.get(url);
    const at = versions?.findIndex(other => other.version === version) ?? -1;
    if (byUrl.size === 0) byType.set(resourceType, byUrl);
    if (versions === undefined) byUrl.set(url, [definition]);
    else if (at === -1) byUrl.set(url, [...versions, definition]);
    else byUrl.set(url, versions.with(at, settle(versions[at] ?? definition, definition, problems, notices)));
  }
  const all = new Map<string, readonly Definition[]>();
  return {
    definitions: {
      find(resourceType, canonical) {
        const { url, version } = parseCanonical(canonical);
        const versions = byType.get(resourceType)?.get(url) ?? [];
        if (version !== undefined) return versions.find(definition => definition.version === version);
        return versions.reduce<Definition | undefined>(preferred, undefined);
      },
      versions: (resourceType, url) =>
        [...(byType.get(resourceType)?.get(url) ?? [])].sort((a, b) => (preferred(a, b) === a ? -1 : 1)),
      all(resourceType) {
        const known = all.get(resourceType) ?? [...(byType.get(resourceType)?.values() ?? [])].flat();
        all.set(resourceType, known);
        return known;
      },
    },
    problems,
    notices,
  };
}

function preferred(best: Definition | undefined, next: Definition): Definition {
  if (best === undefined) return next;
  const [a, b] = [rank(best), rank(next)];
  if (a !== b) return a > b ? best : next;
  return compareVersions(next.version, best.version) > 0 ? next : best;
}

/** Incomplete definitions and the R4 pack have a lower rank, whatever their versions. */
const rank = (definition: Definition): number => (definition.core ? 0 : definition.incomplete === true ? 1 : 2);

function settle(a: Definition, b: Definition, problems: Problem[], notices: string[]): Definition {
  const same = sameContent(a, b);
  if (a.core || b.core) {
    const [core, other] = a.core ? [a, b] : [b, a];
    if (!same) notices.push(replacement(other, core));
    return { ...other, replaces: core };
  }
  if (same) return a;
  const incomplete = [a, b].filter(({ incomplete }) => incomplete === true);
  if (incomplete.length === 1) {
    const [kept, given] = incomplete[0] === a ? [b, a] : [a, b];
    notices.push(replacement(kept, given));
    return kept;
  }
  if (a.package !== undefined && a.package === b.package) {
    notices.push(replacement(b, a));
    return b.resourceType === 'ValueSet' ? mergeValueSets(a, b) : b;
  }
  problems.push({
    file: b.file,
    path: b.path,
    text:
      `This defines \`${canonicalOf(b)}\` with other content than ${a.file}; remove one of the two, or ` +
      'give it another version.',
  });
  return a;
}

const canonicalOf = ({ url, version }: Definition): string => (version === undefined ? url : `${url}|${version}`);

const replacement = (kept: Definition, given: Definition): string =>
  `${kept.file} replaces ${canonicalOf(given)} of ${given.file}.`;

/** The definition (compose) and the codes (expansion) of both, the later one first. */
function mergeValueSets(a: Definition, b: Definition): Definition {
  return {
    ...b,
    digests: undefined,
    resource() {
      const [earlier, later] = [a.resource(), b.resource()];
      const part = (name: string) => {
        const value = later[name] ?? earlier[name];
        return value === undefined ? {} : { [name]: value };
      };
      return { ...earlier, ...asObject(later), ...part('compose'), ...part('expansion') };
    },
  };
}

/**
 * Compares two business versions: positive if `a` is newer. Numbers compare as numbers, a version with a label
 * (`1.1.0-ballot`) is older than the one without, and no version is the oldest.
 * https://hl7.org/fhir/R4/references.html#canonical
 */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  const [left, right] = [split(a), split(b)];
  for (let index = 0; index < Math.max(left.numbers.length, right.numbers.length); index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.label === right.label) return 0;
  if (left.label === '' || right.label === '') return left.label === '' ? 1 : -1;
  return left.label < right.label ? -1 : 1;
}

function split(version: string): { readonly numbers: readonly number[]; readonly label: string } {
  const label = /[^0-9.].*$/.exec(version)?.[0] ?? '';
  const numbers = version
    .slice(0, version.length - label.length)
    .split('.')
    .map(Number);
  return { numbers, label };
}

/**
 * Whether two definitions are equal, ignoring `text`, `meta`, `id` and the order of keys. The R4 pack is reduced, so
 * another definition is compared with it in that form. A definition with digests is not parsed for it.
 */
function sameContent(a: Definition, b: Definition): boolean {
  if (!a.core && !b.core) return digest(a, 'whole') === digest(b, 'whole');
  const [core, other] = a.core ? [a, b] : [b, a];
  return digestOf(core.resource(), 'reduced') === digest(other, 'reduced');
}

const digest = (definition: Definition, form: keyof Digests): string =>
  definition.digests?.[form] ?? digestOf(definition.resource(), form);

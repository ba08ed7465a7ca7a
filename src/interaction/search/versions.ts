import { isVersionWithin, restriction } from '../../auth/restrict.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { parseReference } from '../../fhir/reference.ts';
import { withOnly } from '../../indexing/only.ts';
import type { ReferenceValue } from '../../indexing/entry.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import { readAs } from '../../model/bare-parameter.ts';
import type { SearchRequest } from '../../search/request.ts';
import { joinsOf } from '../../search/walk.ts';
import { hasText } from '../../store/port/records.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import type { Includer, Place } from './joined.ts';

/** A version of a record of this partition that a reference names. */
export interface NamedVersion {
  readonly type: string;
  readonly id: string;
  readonly version: string;
}

/** Whether a reference in a record may name a version. */
export const mayNameVersions = ({ text }: StoredVersion): boolean => text?.includes('/_history/') === true;

/** References of records by a parameter. */
export interface References {
  /** References to no version, as they are indexed. */
  readonly plain: readonly ReferenceValue[];
  readonly versions: readonly NamedVersion[];
}

/** The references of a record by a parameter. */
export function referencesOf(
  record: StoredVersion,
  param: SearchParam,
  type: ResourceType,
  { partition, extract, base }: Place,
): References {
  const where = { id: partition.id, zone: partition.settings.zone };
  const entries = extract(withOnly(type, [readAs(param, 'versions')]), record.text ?? '{}', where);
  const [plain, versions]: [ReferenceValue[], NamedVersion[]] = [[], []];
  for (const { value } of entries) {
    if (value.kind !== 'reference') continue;
    const named = value.version === undefined && value.url !== undefined ? parseReference(value.url) : undefined;
    if (named === undefined || !('version' in named)) plain.push(value);
    else if (named.kind === 'relative' || named.base === base) versions.push({ ...named, version: named.version });
  }
  return { plain, versions };
}

/** The versions that an include finds. */
export interface FoundVersions {
  /** Versions that are not the current ones. */
  readonly earlier: StoredVersion[];
  readonly current: StoredVersion[];
  /** Versions that the caller cannot have. */
  readonly lacking: NamedVersion[];
}

/**
 * The named versions of records of a type, as far as the caller may read them; of a version that is not available, the
 * current one. https://hl7.org/fhir/R4/search.html#include
 */
export async function readVersions(
  type: ResourceType,
  named: readonly NamedVersion[],
  { partition, extract, access }: Includer,
): Promise<FoundVersions> {
  const found: FoundVersions = { earlier: [], current: [], lacking: [] };
  const rule = restriction(access, type, 'r');
  const ids = [...new Set(named.map(({ id }) => id))];
  const lasts = new Map((await partition.readMany(ids.map(id => ({ type: type.name, id })))).map(one => [one.id, one]));
  for (const one of named) {
    const current = lasts.get(one.id);
    if (current === undefined || !isVersionWithin(rule, type, { version: current, current }, extract, partition))
      continue; // as if it were not there
    const number = /^[1-9]\d{0,14}$/.test(one.version) ? Number(one.version) : 0;
    if (number === current.version && hasText(current)) {
      found.current.push(current);
      continue;
    }
    const isStored = type.readHistory && number > 0 && number < current.version;
    const version = isStored ? await partition.read(type.name, one.id, number) : undefined;
    if (
      version !== undefined &&
      hasText(version) &&
      isVersionWithin(rule, type, { version, current }, extract, partition)
    )
      found.earlier.push(version);
    else {
      found.lacking.push(one);
      if (hasText(current)) found.current.push(current);
    }
  }
  return found;
}

const nameOf = ({ type, id, version }: NamedVersion): string => `\`${type}/${id}/_history/${version}\``;

/** Most versions that a warning names. */
const MOST_NAMED = 10;

const list = (versions: readonly NamedVersion[]): string => {
  const names = [...new Set(versions.map(nameOf))];
  const others = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return names.slice(0, MOST_NAMED).join(', ') + others;
};

/** The warning of an include that finds other versions than references name. */
export function versionsLacking(written: string, lacking: readonly NamedVersion[]): Issue {
  const text = `\`${written}\` finds no ${list(lacking)}: the current version is included instead, if there is one.`;
  return { severity: 'warning', code: 'not-found', text };
}

/**
 * A warning for each chain that compares the current versions of records of which matches name other versions.
 * https://hl7.org/fhir/R4/search.html#chaining
 */
export async function chainsOverVersions(
  matches: readonly StoredVersion[],
  asked: readonly SearchRequest[],
  place: Place,
): Promise<readonly Issue[]> {
  const records = matches.filter(mayNameVersions);
  if (records.length === 0) return [];
  const named = new Map<string, NamedVersion[]>();
  for (const { type, query } of asked) {
    const params = new Set(joinsOf(query).flatMap(join => (join.kind === 'chain' ? [join.param] : [])));
    for (const param of params) {
      const versions = records
        .filter(record => record.type === type.name)
        .flatMap(record => referencesOf(record, param, type, place).versions);
      if (versions.length > 0) named.set(param.code, [...(named.get(param.code) ?? []), ...versions]);
    }
  }
  const warnings: Issue[] = [];
  for (const [code, versions] of named) {
    const keys = versions.map(({ type, id }) => ({ type, id }));
    const current = new Map((await place.partition.readMany(keys)).map(one => [`${one.type}/${one.id}`, one.version]));
    const other = versions.filter(one => String(current.get(`${one.type}/${one.id}`)) !== one.version);
    if (other.length === 0) continue;
    const text =
      `Chains by \`${code}\` compare the current version of what a match refers to, ` +
      `although the match names another: ${list(other)}.`;
    warnings.push({ severity: 'warning', code: 'informational', text });
  }
  return warnings;
}

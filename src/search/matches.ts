import { distanceBetween } from '../fhir/position.ts';
import { belowBase } from '../fhir/reference.ts';
import { isBelow } from '../fhir/uri-tree.ts';
import type { IndexEntry, IndexValue, QuantityValue, ReferenceValue, TokenValue } from '../indexing/entry.ts';
import { foldCode, foldString } from '../indexing/normalize.ts';
import { idOfOwner } from '../indexing/owners.ts';
import { hasPhrase } from '../indexing/words.ts';
import type { SearchParam } from '../model/model.ts';
import type { Codes } from '../terminology/expansion.ts';
import type { Bound, Chain, EntryTest, Has, Query, Test, TokenTest, Tree } from './ast.ts';
import { linksOf, openTo } from './walk.ts';

/** The indexed data of a resource. */
export interface Indexed {
  readonly id: string;
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number;
  /** When it was created (store/port/records.ts); undefined: at `lastUpdated`. */
  readonly created?: number | undefined;
  readonly entries: readonly IndexEntry[];
  /** The owners (indexing/owners.ts); undefined: derived from the entries. */
  readonly owners?: readonly string[] | undefined;
  /** Its contained resources, with the time of the last update of this one; undefined if no query needs them. */
  readonly contained?: readonly ContainedIndexed[];
}

/** The indexed data of a contained resource. */
export interface ContainedIndexed extends Indexed {
  readonly type: string;
  /** Codes of the parameters of its container that lead to it; undefined if no query needs them. */
  readonly by?: readonly string[];
}

/** The resources that chains, `_has` and hierarchies test. */
export interface Others {
  /** All resources of a type. */
  of(type: string): readonly Indexed[];
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
}

const noOthers: Others = {
  base: '',
  of: type => {
    throw new Error(`A query over ${type} needs its resources`);
  },
};

/**
 * The meaning of a query, which every store must implement: does the resource match?
 * https://hl7.org/fhir/R4/search.html
 */
export function matches(query: Query, resource: Indexed, others: Others = noOthers): boolean {
  switch (query.kind) {
    case 'all':
      return true;
    case 'and':
      return query.of.every(part => matches(part, resource, others));
    case 'or':
      return query.of.some(part => matches(part, resource, others));
    case 'not':
      return !matches(query.of, resource, others);
    case 'id':
      return query.anyOf.includes(resource.id);
    case 'lastUpdated':
      return within(query.bounds, resource.lastUpdated, resource.lastUpdated + 1);
    case 'owner': {
      const { compartment, id, base } = query;
      if (resource.owners === undefined) return matches(linksOf(query), resource);
      return resource.owners.some(owner => idOfOwner(owner, compartment, base) === id);
    }
    case 'param':
      return resource.entries.some(({ param, value }) => param === query.param.code && passes(query.test, value));
    case 'present':
      return resource.entries.some(({ param }) => param === query.param.code);
    case 'entry':
      return resource.entries.some(({ param, value }) => param === query.param.code && passesEntry(query.test, value));
    case 'chain': {
      const of = openTo(query);
      return (
        matches({ ...query, kind: 'inside' }, resource, others) ||
        others.of(query.type.name).some(other => isJoined(query, resource, other, others) && matches(of, other, others))
      );
    }
    case 'inside':
      return (resource.contained ?? []).some(
        one => one.type === query.type.name && one.by?.includes(query.param.code) && matches(query.of, one, others),
      );
    case 'has': {
      const of = openTo(query);
      const isReferrer = (one: Indexed, where: Query): boolean =>
        isJoined(query, resource, one, others) && matches(where, one, others);
      return (
        others.of(query.type.name).some(other => isReferrer(other, of)) ||
        query.containers.some(({ type, within }) =>
          others
            .of(type.name)
            .filter(one => within === undefined || matches(within, one, others))
            .flatMap(({ contained = [] }) => contained)
            .some(one => one.type === query.type.name && isReferrer(one, query.of)),
        )
      );
    }
    case 'tree': {
      const members = idsOf(query, others).map(id => ({ id, lastUpdated: 0, entries: [] }));
      const test = referencesTo(query.param, query.type.name, members, others.base);
      return resource.entries.some(({ param, value }) => param === query.param.code && passes(test, value));
    }
    case 'contained':
      return (resource.contained ?? []).some(one => one.type === query.type.name && matches(query.of, one, others));
    default:
      return query satisfies never;
  }
}

/** The ids of a hierarchy: the given one and those below or above it, which need not exist. */
function idsOf({ type, by, how, id, of }: Tree, others: Others): readonly string[] {
  const walked = others.of(type.name).filter(one => matches(of, one, others));
  const aboveOf = (one: Indexed): readonly string[] =>
    one.entries.flatMap(({ param, value }) => {
      if (param !== by.code || value.kind !== 'reference') return [];
      const named = value.url === undefined ? value : belowBase(others.base, value.url);
      return named?.id !== undefined && named.type === type.name ? [named.id] : [];
    });
  const ids = new Set([id]);
  for (const one of ids) {
    const next =
      how === 'below'
        ? walked.filter(lower => aboveOf(lower).includes(one)).map(lower => lower.id)
        : walked.filter(lower => lower.id === one).flatMap(aboveOf);
    for (const other of next) ids.add(other); // a Set is walked to its end, so that these have their turn
  }
  return [...ids];
}

/** Whether the reference of a join is between these two: from the resource in a chain, from the other in a `_has`. */
function isJoined(join: Chain | Has, resource: Indexed, other: Indexed, { base }: Others): boolean {
  const [from, to, type] = join.kind === 'chain' ? [resource, other, join.type] : [other, resource, join.target];
  const test = referencesTo(join.param, type.name, [to], base);
  return from.entries.some(({ param, value }) => param === join.param.code && passes(test, value));
}

/**
 * The test of a parameter for references to one of these resources of a type. A canonical identifies a resource by its
 * `url`, the value of the parameter `url`, alone or with its version; one without a version also by its address.
 * https://hl7.org/fhir/R4/references.html#canonical
 */
export function referencesTo(
  { dataTypes }: SearchParam,
  type: string,
  resources: readonly Indexed[],
  base: string,
): Extract<Test, { kind: 'references' }> {
  const ids = resources.map(({ id }) => id);
  if (!dataTypes.has('canonical') && !dataTypes.has('uri'))
    return { kind: 'references', type, ids, canonicals: [], base };
  const own = resources.flatMap(({ entries }) =>
    entries.flatMap(({ param, value }) => (param === 'url' && value.kind === 'uri' ? [ownCanonical(value.uri)] : [])),
  );
  const places = ids.flatMap(id => [`${type}/${id}`, `${base}/${type}/${id}`].map(url => ({ url, version: '' })));
  const referred = dataTypes.has('Reference') ? ids : [];
  return { kind: 'references', type, ids: referred, canonicals: [...own, ...places], base };
}

/**
 * The canonical by which an entry of `url` is referred to: entries are the URL alone, and with the version. A `#` is a
 * part of them: the fragment of a canonical is within the definition.
 */
function ownCanonical(uri: string): { readonly url: string; readonly version: string } {
  const bar = uri.indexOf('|');
  return bar < 0 ? { url: uri, version: '' } : { url: uri.slice(0, bar), version: uri.slice(bar + 1) };
}

function passesEntry(test: EntryTest | Test, value: IndexValue): boolean {
  if (test.kind === 'unequal') return value.kind !== 'unsearchable' && !test.of.some(one => passesEntry(one, value));
  // The whole text: an entry of a half of a double name has only that half folded.
  if (test.kind === 'equals') return value.kind === 'string' && foldString(value.text) === test.text;
  if (test.kind === 'ends') return value.kind === 'string' && value.folded.endsWith(test.text);
  if (test.kind === 'uriPart') return value.kind === 'uri' && hasPart(test, value.uri);
  if (test.kind === 'near') return isNear(test, value);
  return passes(test, value);
}

/** The entry of a position is the tuple of its latitude and longitude. */
function isNear({ position, distance }: Extract<EntryTest, { kind: 'near' }>, value: IndexValue): boolean {
  const [latitude, longitude] = value.kind === 'composite' ? value.of.map(([first]) => first) : [];
  if (latitude?.kind !== 'number' || longitude?.kind !== 'number') return false;
  return distanceBetween(position, { latitude: latitude.low, longitude: longitude.low }) <= distance;
}

function hasPart({ how, text }: Extract<EntryTest, { kind: 'uriPart' }>, uri: string): boolean {
  if (how === 'contains') return uri.includes(text);
  return how === 'starts' ? uri.startsWith(text) : uri.endsWith(text);
}

function passes(test: Test, value: IndexValue): boolean {
  switch (test.kind) {
    case 'string':
      if (value.kind !== 'string') return false;
      if (test.how === 'exact') return value.text === test.text;
      return test.how === 'starts' ? value.folded.startsWith(test.text) : value.folded.includes(test.text);
    case 'words':
      return value.kind === 'words' && test.phrases.every(phrase => hasPhrase(value.text, phrase));
    case 'token':
      return value.kind === 'token' && isToken(test, value);
    case 'otherCode':
      return value.kind === 'token' && value.code !== undefined && !test.of.some(one => isToken(one, value));
    case 'codes':
      return value.kind === 'token' && hasCode(test.codes, value);
    case 'range':
      return (value.kind === 'date' || value.kind === 'number') && within(test.bounds, value.low, value.high);
    case 'quantity':
      return value.kind === 'quantity' && isQuantity(test, value);
    case 'reference':
      return value.kind === 'reference' && refersTo(test, value);
    case 'references':
      return value.kind === 'reference' && isOneOf(test, value);
    case 'uri':
      if (value.kind === 'reference') return value.url !== undefined && isUri(test, value.url);
      return value.kind === 'uri' && isUri(test, value.uri);
    case 'composite':
      return value.kind === 'composite' && test.of.every((part, at) => value.of[at]?.some(one => passes(part, one)));
    default:
      return test satisfies never;
  }
}

/** A code of the system of the token; the code of a case-insensitive one is folded. */
function hasCode(codes: Codes, { system, code, caseSensitive }: TokenValue): boolean {
  if (system === undefined || code === undefined) return false;
  const found = codesBySystem(codes).get(system);
  return (caseSensitive ? found?.exact : found?.folded)?.has(code) === true;
}

interface CodeSets {
  readonly exact: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

function codesBySystem(codes: Codes): ReadonlyMap<string, CodeSets> {
  const known = codeSets.get(codes);
  if (known !== undefined) return known;
  const made = new Map(
    codes.map(({ system, codes: all }) => [system, { exact: new Set(all), folded: new Set(all.map(foldCode)) }]),
  );
  codeSets.set(codes, made);
  return made;
}

/** The sets are cached by list of codes: one is compared with many records. */
const codeSets = new WeakMap<Codes, ReadonlyMap<string, CodeSets>>();

function isUri({ uri, tree }: Extract<Test, { kind: 'uri' }>, value: string): boolean {
  if (tree === undefined) return value === uri;
  if (tree === 'starts') return value.startsWith(uri);
  return tree === 'below' ? isBelow(value, uri) : isBelow(uri, value);
}

function isToken(test: TokenTest, value: TokenValue): boolean {
  if (test.system !== undefined && (test.system ?? undefined) !== value.system) return false;
  return test.code === undefined || value.code === (value.caseSensitive ? test.code : foldCode(test.code));
}

function isQuantity(test: Extract<Test, { kind: 'quantity' }>, value: QuantityValue): boolean {
  const { bounds, canonical } = test;
  if (canonical === undefined) return within(bounds, value.low, value.high) && hasUnit(test, value);
  return value.canonical?.unit === canonical && within(bounds, value.canonical.low, value.canonical.high);
}

/** With a system the unit is its code; without one it is the code or the unit's text. */
function hasUnit(test: Extract<Test, { kind: 'quantity' }>, value: QuantityValue): boolean {
  if (test.system !== undefined && test.system !== value.system) return false;
  if (test.unit === undefined || test.unit === value.code) return true;
  return test.system === undefined && test.unit === value.unit;
}

function refersTo(
  { type, id, base, url, version, below }: Extract<Test, { kind: 'reference' }>,
  value: ReferenceValue,
): boolean {
  if (id === undefined) {
    if (url !== value.url) return false;
    const isBelowVersion = below === true && value.version?.startsWith(`${version}.`) === true;
    return version === undefined || version === value.version || isBelowVersion;
  }
  const named = base === undefined || value.url === undefined ? value : belowBase(base, value.url);
  return id === named?.id && (type === undefined || type === named.type);
}

function isOneOf(test: Extract<Test, { kind: 'references' }>, value: ReferenceValue): boolean {
  if (test.canonicals.some(({ url, version }) => url === value.url && version === value.version)) return true;
  const named = value.url === undefined ? value : belowBase(test.base, value.url);
  return named?.id !== undefined && named.type === test.type && test.ids.includes(named.id);
}

function within(bounds: readonly Bound[], low: number, high: number): boolean {
  return bounds.every(bound => holds(bound.end === 'low' ? low : high, bound));
}

function holds(end: number, bound: Bound): boolean {
  switch (bound.is) {
    case '<':
      return end < bound.value;
    case '<=':
      return end <= bound.value;
    case '>':
      return end > bound.value;
    case '>=':
      return end >= bound.value;
    default:
      return bound.is satisfies never;
  }
}

import { parseCanonical } from '../fhir/reference.ts';
import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Spend } from '../fhirpath/evaluate/pattern.ts';
import { Cache } from '../limits/cache.ts';
import { codeSystemOf, supplemented } from './code-system.ts';
import type { CodeSystem } from './code-system.ts';
import { grammarSets } from './grammars.ts';
import type { TerminologyResource, TerminologySource } from './source.ts';
import { NotExpanded } from './members.ts';
import { compileValueSet } from './value-set.ts';
import type { SetEnvironment, ValueSet } from './value-set.ts';
import { compareVersions } from '../definitions/definitions.ts';
import { noLargeSystems } from './large/registry.ts';
import type { LargeSystems } from './large/registry.ts';
import { matchesVersion, newest } from './versions.ts';
import type { VersionRules } from './versions.ts';

/** Systems and value sets of one source, or of one call. */
export interface TerminologyService extends SetEnvironment {
  readonly source: TerminologySource;
  /** The versions of a system that are loaded, without supplements. */
  versions(url: string): readonly TerminologyResource[];
  /** A version rule of the call that applies to a system, which changed or checks what a value set states. */
  readonly rules: VersionRules | undefined;
  /** Compiles a ValueSet that is not in the source. */
  compile(resource: JsonObject): ValueSet;
  /** The supplements that were asked for, each by its canonical with version. */
  readonly supplements: readonly CodeSystem[];
  readonly large: LargeSystems;
  /** A system of `versions`. */
  read(definition: TerminologyResource): CodeSystem;
}

/** What one call asks of the service beyond the source. */
export interface ServiceOptions {
  readonly rules?: VersionRules | undefined;
  readonly supplements?: readonly CodeSystem[];
  /** The versions of value sets, as canonicals, that apply where one is named without a version. */
  readonly setVersions?: readonly string[];
  /** The budget of patterns, which may throw TooCostly. */
  readonly spend?: Spend;
  /** The systems whose concepts are in the store. */
  readonly large?: LargeSystems;
}

/**
 * The most value sets and systems that a service keeps: more than a validation of all types of R4 needs, and not all
 * that a client may ask for.
 */
const most = 400;

/**
 * The CodeSystems used last, by the resource that they were read from, so that sources share them.
 */
const read = new Cache<CodeSystem, TerminologyResource>(most);

export function readSystem(definition: TerminologyResource): CodeSystem {
  const known = read.get(definition);
  if (known !== undefined) return known;
  const made = codeSystemOf(definition.resource());
  read.put(definition, made);
  return made;
}

const isSupplement = ({ resource }: CodeSystem): boolean => resource['content'] === 'supplement';

/** A service for a call, or for all calls of a source. */
export function createService(source: TerminologySource, options: ServiceOptions): TerminologyService {
  const { rules, supplements = [], setVersions = [], spend, large = noLargeSystems } = options;
  const systems = new Cache<CodeSystem>(most);
  const sets = new Cache<ValueSet>(most);
  const compiled = new Map<string, ValueSet>();
  const readOne = (definition: TerminologyResource): CodeSystem => large.open(definition) ?? readSystem(definition);
  const inMemory = (url: string): readonly TerminologyResource[] =>
    source.versions('CodeSystem', url).filter(one => !isSupplement(readSystem(one)));
  /** The versions in the store come first, as stored definitions go before shipped ones. */
  const versions = (url: string): readonly TerminologyResource[] => {
    const stored = [...large.versions(url)].sort((a, b) => compareVersions(b.version, a.version));
    const isStored = ({ version }: TerminologyResource): boolean => stored.some(one => one.version === version);
    return stored.length === 0 ? inMemory(url) : [...stored, ...inMemory(url).filter(one => !isStored(one))];
  };

  const find = (url: string, version: string | undefined): CodeSystem | undefined => {
    if (large.versions(url).length > 0) {
      const matching = versions(url).filter(one => version === undefined || matchesVersion(one.version, version));
      const [best] = matching;
      return best === undefined ? undefined : readOne(best);
    }
    const exact = source.find('CodeSystem', version === undefined ? url : `${url}|${version}`);
    const known = exact === undefined ? undefined : readSystem(exact);
    if (known !== undefined && !isSupplement(known)) return known;
    const others = versions(url);
    const found =
      version === undefined ? others[0] : newest(others.filter(one => matchesVersion(one.version, version)));
    return found === undefined ? undefined : readSystem(found);
  };

  /** Clients can name unknown systems too, so only loaded ones are cached. */
  const system = (url: string, stated: string | undefined): CodeSystem | undefined => {
    const version = rules === undefined ? stated : rules.versionOf(url, stated);
    const key = version === undefined ? url : `${url}|${version}`;
    const kept = systems.get(key);
    if (kept !== undefined) return kept;
    const found = find(url, version);
    if (found === undefined) return undefined;
    const own = supplements.filter(({ resource }) => isOf(found, asString(resource['supplements']) ?? ''));
    const made = supplemented(found, own);
    systems.put(key, made);
    return made;
  };

  const compile = (resource: JsonObject): ValueSet => compileValueSet(resource, service);
  const isKnown = (url: string): boolean => large.versions(url).length > 0 || system(url, undefined)?.complete === true;
  const make = (canonical: string): ValueSet | undefined => {
    const definition = source.find('ValueSet', canonical);
    if (definition !== undefined)
      return compileValueSet(definition.resource(), definition.core === true ? published : service);
    const grammar = grammarSets.get(canonical);
    if (grammar !== undefined) return compile({ url: canonical, compose: { include: [{ system: grammar }] } });
    const contained = containedSet(canonical, source);
    if (contained !== undefined) return compile(contained);
    const selected = publishedSet(canonical);
    if (selected !== undefined && isKnown(selected.system))
      return compile({ resourceType: 'ValueSet', url: canonical, status: 'active', compose: { include: [selected] } });
    return implicitSet(canonical, source, compile, large);
  };
  const set = (named: string): ValueSet | undefined => {
    const canonical = setVersions.find(one => one.startsWith(`${named}|`)) ?? named;
    const kept = sets.get(canonical);
    if (kept !== undefined) return kept;
    const made = make(canonical);
    if (made === undefined) return undefined;
    // A set with and without its version is one, so that circles are found.
    const same = compiled.get(made.canonical) ?? made;
    if (compiled.size < most) compiled.set(made.canonical, same);
    sets.put(canonical, same);
    return same;
  };

  /**
   * For value sets of R4, which is published as a whole: some name versions of systems that it does not have.
   */
  const published: SetEnvironment = {
    system: (url, stated) => system(url, stated) ?? system(url, undefined),
    requireVersion: url => service.requireVersion(url, undefined),
    set: canonical => set(canonical),
    spend,
  };
  const service: TerminologyService = {
    source,
    rules,
    supplements,
    spend,
    versions,
    large,
    read: readOne,
    system,
    requireVersion(url, stated) {
      const version = rules?.versionOf(url, stated) ?? stated;
      const found = system(url, stated);
      if (found === undefined && version !== undefined) {
        const loaded = versions(url)
          .filter(one => large.versions(url).includes(one) || readSystem(one).complete)
          .map(one => one.version ?? 'without a version');
        const list = loaded.map(one => `\`${one}\``).join(', ');
        if (loaded.length > 0)
          throw new NotExpanded('version', `the CodeSystem \`${url}\` is loaded as ${list}, not as \`${version}\``);
      }
      const check = rules?.problemOf(url, found?.version);
      if (check !== undefined) throw new NotExpanded('version-check', check);
    },
    set,
    compile,
  };
  return service;
}

/** Whether a canonical is that of a system. */
function isOf({ url, version }: CodeSystem, canonical: string): boolean {
  const named = parseCanonical(canonical);
  return named.url === url && (named.version === undefined || named.version === version);
}

/** The supplement of a canonical; undefined if none is loaded, or it is no supplement. */
export function findSupplement(source: TerminologySource, canonical: string): CodeSystem | undefined {
  const definition = source.find('CodeSystem', canonical);
  const found = definition === undefined ? undefined : readSystem(definition);
  return found !== undefined && isSupplement(found) ? found : undefined;
}

/** `https://…/profile#id`: a ValueSet that a profile contains. */
function containedSet(canonical: string, source: TerminologySource): JsonObject | undefined {
  const at = canonical.indexOf('#');
  if (at <= 0) return undefined;
  const owner = source.find('StructureDefinition', canonical.slice(0, at));
  const id = canonical.slice(at + 1);
  const found = objectsOf(owner?.resource()['contained']).find(
    one => one['resourceType'] === 'ValueSet' && one['id'] === id,
  );
  return found && { ...found, url: canonical };
}

/** The part of a value set that the page of a system defines by its canonical; undefined for another canonical. */
function publishedSet(canonical: string): (JsonObject & { readonly system: string }) | undefined {
  const ofSnomed = /^http:\/\/snomed\.info\/sct(?:\/[^?]*)?\?fhir_vs(?:=(.*))?$/s.exec(canonical);
  const select = (system: string, property: string, op: string, value: string) => ({
    system,
    filter: [{ property, op, value }],
  });
  const part = /^http:\/\/loinc\.org\/vs\/(LP[\w-]+)$/.exec(canonical)?.[1];
  if (part !== undefined) return select('http://loinc.org', 'concept', 'is-a', part);
  if (ofSnomed === null) return undefined;
  const [kind = '', ...rest] = (ofSnomed[1] ?? '').split('/');
  if (kind === '') return { system: snomed };
  const value = decoded(rest.join('/'));
  if (kind === 'isa') return select(snomed, 'concept', 'is-a', value);
  if (kind === 'ecl') return select(snomed, 'constraint', '=', value);
  return kind === 'refset' && value !== '' ? select(snomed, 'memberOf', '=', value) : undefined;
}

const snomed = 'http://snomed.info/sct';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The canonical of the value set of all codes of a system; undefined if it states none. */
const wholeSets = new WeakMap<TerminologyResource, string | undefined>();

/**
 * The value set of all codes that a CodeSystem names. Those of the R4 packs are published as ValueSets.
 * https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.valueSet
 */
function implicitSet(
  canonical: string,
  source: TerminologySource,
  compile: (resource: JsonObject) => ValueSet,
  large: LargeSystems,
): ValueSet | undefined {
  const { url, version } = parseCanonical(canonical);
  for (const definition of [...large.all(), ...source.all('CodeSystem').filter(one => one.core !== true)]) {
    if (!wholeSets.has(definition)) wholeSets.set(definition, asString(definition.resource()['valueSet']));
    const whole = wholeSets.get(definition);
    if (whole === undefined || parseCanonical(whole).url !== url) continue;
    if (version !== undefined && definition.version !== version) continue;
    const include = { system: definition.url, ...(version === undefined ? {} : { version }) };
    return compile({ resourceType: 'ValueSet', url, status: 'active', compose: { include: [include] } });
  }
  return undefined;
}

/** A source with more resources above another one, for a call. */
export function withResources(source: TerminologySource, resources: readonly JsonObject[]): TerminologySource {
  if (resources.length === 0) return source;
  const own = resources.map(one => ({
    type: asString(one['resourceType']),
    url: asString(one['url']) ?? '',
    version: asString(one['version']),
    resource: () => one,
  }));
  const ownOf = (type: string, url: string) => own.filter(one => one.type === type && one.url === url);
  return {
    find(type, canonical) {
      const { url, version } = parseCanonical(canonical);
      const mine = ownOf(type, url);
      const found = version === undefined ? newest(mine) : mine.find(one => one.version === version);
      return found ?? source.find(type, canonical);
    },
    versions: (type, url) => {
      const mine = ownOf(type, url);
      const others = source.versions(type, url).filter(one => !mine.some(({ version }) => version === one.version));
      return [...mine, ...others];
    },
    all: type => [...own.filter(one => one.type === type), ...source.all(type)],
  };
}

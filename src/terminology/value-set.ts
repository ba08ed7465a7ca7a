import { asObject, asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Spend } from '../fhirpath/evaluate/pattern.ts';
import type { CodeSystem, Concept } from './code-system.ts';
import { grammars } from './grammars.ts';
import { NotExpanded } from './members.ts';
import type { SetMember } from './members.ts';
import { publishedMembers } from './published.ts';
import { compileFilter, filterProblem } from './value-set-filter.ts';
import type { Filter } from './value-set-filter.ts';

/** A compiled value set, which decides about single codes and lists all of them. */
export interface ValueSet {
  /** Canonical with version. */
  readonly canonical: string;
  /** The definition, without its parts. */
  readonly resource: JsonObject;
  /**
   * Whether a code is in it; undefined if that is undecided. Without a system any matches; with a version only that of
   * the system. `spend` of the environment may throw.
   */
  contains(code: string, system: string | undefined, version?: string): boolean | undefined;
  /** All codes, each once. Yields now and then, for others to have their turn. Throws NotExpanded. */
  list(listing: Listing): Generator<undefined, readonly SetMember[]>;
  /** The systems that it names in its parts, with the versions that these state. */
  readonly systems: readonly SystemPart[];
  /** The one part of a set that selects codes of a system by filters alone, including inactive ones. */
  readonly only: { readonly system: SystemPart; readonly filters: readonly JsonObject[] } | undefined;
  /** The canonicals of the value sets that it imports. */
  readonly imports: readonly string[];
}

export interface SystemPart {
  readonly system: string;
  readonly version: string | undefined;
}

/** The state of one listing. */
export interface Listing {
  /** The value sets that are being listed: one of them would include itself. */
  readonly within: readonly ValueSet[];
  /** Value sets that are listed already: they may be imported many times. */
  readonly done: Map<ValueSet, readonly SetMember[]>;
  readonly most: number;
  /** Receives the systems and value sets that were used, by canonical. */
  readonly used?: { readonly systems: Set<CodeSystem>; readonly sets: Set<ValueSet> };
}

/** Where a value set finds the systems and value sets that it names. */
export interface SetEnvironment {
  /** A loaded system, in the version of a part or in the one that applies without it. */
  system(url: string, version: string | undefined): CodeSystem | undefined;
  /** Throws NotExpanded for a part whose version may not be used, or is not loaded while others are. */
  requireVersion(url: string, version: string | undefined): void;
  set(canonical: string): ValueSet | undefined;
  readonly spend: Spend | undefined;
}

/** Compiles a ValueSet. https://hl7.org/fhir/R4/valueset.html#compositions */
export function compileValueSet(resource: JsonObject, outside: SetEnvironment): ValueSet {
  const environment = withContained(resource, outside);
  const { compose: _compose, expansion: _expansion, ...about } = resource;
  const compose = asObject(resource['compose']);
  const [url, version] = [asString(resource['url']) ?? '', asString(resource['version'])];
  const canonical = version === undefined ? url : `${url}|${version}`;
  const includes = objectsOf(compose['include']).map(part => compilePart(part, environment));
  const excludes = objectsOf(compose['exclude']).map(part => compilePart(part, environment));
  const withInactive = compose['inactive'] !== false;
  const published = publishedMembers(resource);
  const inPublished = published && publishedContains(published.members, published.whole);
  const systems = [...includes, ...excludes].flatMap(({ system }) => (system === undefined ? [] : [system]));
  const contains: Contains = (code, system, of) => {
    const found = any(includes, code, system, of);
    const composed = includes.length === 0 ? undefined : minus(found, () => any(excludes, code, system, of));
    const decided = composed ?? inPublished?.(code, system, of);
    if (decided !== true || withInactive) return decided;
    return !isInactive(code, system, systems, environment);
  };
  const self: ValueSet = {
    canonical,
    resource: about,
    contains: remembered(contains),
    systems,
    only: excludes.length > 0 || !withInactive ? undefined : onlyPart(objectsOf(compose['include'])),
    imports: includes.flatMap(({ imports }) => imports),
    *list(listing) {
      const done = listing.done.get(self);
      if (done !== undefined) return done;
      if (listing.within.includes(self))
        throw new NotExpanded('circular', `the ValueSet \`${canonical}\` includes itself`);
      listing.used?.sets.add(self);
      let members: readonly SetMember[];
      try {
        if (includes.length === 0) throw new NotExpanded('wrong', `the ValueSet \`${canonical}\` includes nothing`);
        members = yield* listParts(includes, excludes, { ...listing, within: [...listing.within, self] });
        if (!withInactive) members = members.filter(({ concept }) => concept?.inactive !== true);
      } catch (error) {
        const isMissing = error instanceof NotExpanded && error.kind !== 'version-check' && error.kind !== 'large';
        if (!isMissing || published?.whole !== true) throw error;
        ({ members } = published);
      }
      listing.done.set(self, members);
      return members;
    },
  };
  return self;
}

function onlyPart(includes: readonly JsonObject[]): ValueSet['only'] {
  const [part, other] = includes;
  const system = asString(part?.['system']);
  if (part === undefined || other !== undefined || system === undefined) return undefined;
  if (part['concept'] !== undefined || part['valueSet'] !== undefined) return undefined;
  return { system: { system, version: asString(part['version']) }, filters: objectsOf(part['filter']) };
}

/** `#id` names a value set that this one contains. https://hl7.org/fhir/R4/references.html#contained */
function withContained(resource: JsonObject, environment: SetEnvironment): SetEnvironment {
  const contained = objectsOf(resource['contained']).filter(one => one['resourceType'] === 'ValueSet');
  if (contained.length === 0) return environment;
  const compiled = new Map<string, ValueSet>();
  const own: SetEnvironment = {
    ...environment,
    set(canonical) {
      const one = canonical.startsWith('#') ? contained.find(({ id }) => `#${String(id)}` === canonical) : undefined;
      if (one === undefined) return environment.set(canonical);
      const { url = canonical, ...more } = one;
      const made = compiled.get(canonical) ?? compileValueSet({ ...more, url }, own);
      compiled.set(canonical, made);
      return made;
    },
  };
  return own;
}

/** Whether a code is included; undefined if that is undecided. */
type Contains = (code: string, system: string | undefined, version: string | undefined) => boolean | undefined;

interface ComposePart {
  readonly contains: Contains;
  readonly system: SystemPart | undefined;
  readonly imports: readonly string[];
  /** True if it lists no code twice. */
  readonly isDistinct: boolean;
  list(listing: Listing): Generator<undefined, readonly SetMember[]>;
}

/**
 * Decides nothing while it is asked already: a set that includes itself, also through others, adds no code by that. The
 * last answer is kept, since sets that import others twice would ask them twice as often at each step.
 */
function remembered(
  contains: Contains,
): (code: string, system: string | undefined, version?: string) => boolean | undefined {
  let isAsked = false;
  let last:
    { code: string; system: string | undefined; version: string | undefined; found: boolean | undefined } | undefined;
  return (code, system, version) => {
    if (isAsked) return undefined;
    if (last?.code === code && last.system === system && last.version === version) return last.found;
    isAsked = true;
    try {
      const found = contains(code, system, version);
      last = { code, system, version, found };
      return found;
    } finally {
      isAsked = false;
    }
  };
}

/** One of the parts must contain the code. */
function any(
  parts: readonly ComposePart[],
  code: string,
  system: string | undefined,
  of?: string,
): boolean | undefined {
  let result: boolean | undefined = false;
  for (const part of parts) {
    const found = part.contains(code, system, of);
    if (found === true) return true;
    if (found === undefined) result = undefined;
  }
  return result;
}

function minus(included: boolean | undefined, excluded: () => boolean | undefined): boolean | undefined {
  if (included === false) return false;
  const out = excluded();
  return out === true ? false : out === undefined ? undefined : included;
}

const isInactive = (
  code: string,
  system: string | undefined,
  systems: readonly SystemPart[],
  environment: SetEnvironment,
): boolean =>
  systems.some(
    one =>
      (system === undefined || one.system === system) &&
      environment.system(one.system, one.version)?.concept(code)?.inactive === true,
  );

function* listParts(
  includes: readonly ComposePart[],
  excludes: readonly ComposePart[],
  listing: Listing,
): Generator<undefined, SetMember[]> {
  const [only, other] = includes;
  if (only !== undefined && other === undefined && excludes.length === 0 && only.isDistinct)
    return [...(yield* only.list(listing))];
  const excluded = new Set<string>();
  for (const part of excludes)
    for (const member of yield* part.list(listing))
      excluded.add(part.system?.version === undefined ? keyOf(member) : versionedKeyOf(member));
  const found = new Map<string, SetMember>();
  for (const part of includes)
    for (const member of yield* part.list(listing)) {
      const key = versionedKeyOf(member);
      if (found.has(key) || excluded.has(key) || excluded.has(keyOf(member))) continue;
      found.set(key, member);
      if (found.size > listing.most)
        throw new NotExpanded('large', `it has more than ${listing.most.toLocaleString('en')} codes`);
    }
  return [...found.values()];
}

const keyOf = ({ system, code }: SetMember): string => `${system}\n${code}`;
const versionedKeyOf = ({ system, version, code }: SetMember): string => `${system}\n${code}\n${version ?? ''}\n`;

/** One include or exclude: all of its conditions apply. */
function compilePart(part: JsonObject, environment: SetEnvironment): ComposePart {
  const imports = stringsOf(part['valueSet']);
  const url = asString(part['system']);
  const ofSystem = url === undefined ? undefined : compileSystem(url, part, environment);
  const conditions: Contains[] = imports.map(
    canonical => (code, system, version) => environment.set(canonical)?.contains(code, system, version),
  );
  if (ofSystem !== undefined) conditions.unshift(ofSystem.contains);
  return {
    system: url === undefined ? undefined : { system: url, version: asString(part['version']) },
    imports,
    isDistinct: objectsOf(part['concept']).length === 0,
    contains: (code, system, version) => {
      let result: boolean | undefined = conditions.length > 0 ? true : undefined;
      for (const condition of conditions) {
        const holds = condition(code, system, version);
        if (holds === false) return false;
        if (holds === undefined) result = undefined;
      }
      return result;
    },
    *list(listing) {
      const lists: (readonly SetMember[])[] = ofSystem === undefined ? [] : [yield* ofSystem.list(listing)];
      for (const canonical of imports) {
        const set = environment.set(canonical);
        if (set === undefined) throw new NotExpanded('missing', `no ValueSet \`${canonical}\` is loaded`);
        lists.push(yield* set.list(listing));
      }
      const [first, ...others] = lists;
      if (first === undefined) throw new NotExpanded('wrong', 'a part of it has neither a system nor a ValueSet');
      return others.reduce((common, other) => {
        const keys = new Set(other.map(keyOf));
        return common.filter(one => keys.has(keyOf(one)));
      }, first);
    },
  };
}

function compileSystem(
  url: string,
  part: JsonObject,
  environment: SetEnvironment,
): Pick<ComposePart, 'contains' | 'list'> {
  const version = asString(part['version']);
  const listed = objectsOf(part['concept']);
  const system = (): CodeSystem | undefined => environment.system(url, version);
  const isOther = (of: string | undefined): boolean => of !== undefined && (system()?.version ?? of) !== of;
  if (listed.length > 0) {
    const codes = new Set(listed.map(({ code }) => String(code)));
    const folded = new Set([...codes].map(code => code.toLowerCase()));
    return {
      contains: (code, given, of) =>
        (given === undefined || given === url) &&
        !isOther(of) &&
        (codes.has(code) || (folded.has(code.toLowerCase()) && system()?.caseSensitive === false)),
      list: () => listConcepts(listed, { url, version }, environment),
    };
  }
  const filters = objectsOf(part['filter']);
  const compiled = filters.map(filter => compileFilter(filter, environment.spend));
  return {
    contains: (code, given, of) => {
      if (given !== undefined && given !== url) return false;
      const grammar = grammars.get(url);
      if (grammar !== undefined) return filters.length > 0 ? undefined : grammar(code);
      const known = system();
      if (known === undefined) return undefined;
      if (isOther(of)) return false;
      const concept = known.concept(code);
      if (concept === undefined) return known.complete ? false : undefined;
      return passes(compiled, concept, known);
    },
    list: listing => listSystem({ url, version }, filters, compiled, environment, listing),
  };
}

/** All filters must hold. */
function passes(filters: readonly Filter[], concept: Concept, system: CodeSystem): boolean | undefined {
  let result: boolean | undefined = true;
  for (const filter of filters) {
    const holds = filter(concept, system);
    if (holds === false) return false;
    if (holds === undefined) result = undefined;
  }
  return result;
}

interface NamedSystem {
  readonly url: string;
  readonly version: string | undefined;
}

/** Listed codes: those that their system does not have are left out, if it is loaded completely. */
// eslint-disable-next-line require-yield -- lists are short enough
function* listConcepts(
  listed: readonly JsonObject[],
  { url, version }: NamedSystem,
  environment: SetEnvironment,
): Generator<undefined, readonly SetMember[]> {
  environment.requireVersion(url, version);
  const system = environment.system(url, version);
  return listed.flatMap(stated => {
    const code = String(stated['code']);
    const concept = system?.concept(code);
    if (concept === undefined && system?.complete === true) return [];
    return [{ system: url, version: system?.version ?? version, code: concept?.code ?? code, concept, stated }];
  });
}

function* listSystem(
  { url, version }: NamedSystem,
  filters: readonly JsonObject[],
  compiled: readonly Filter[],
  environment: SetEnvironment,
  listing: Listing,
): Generator<undefined, readonly SetMember[]> {
  const system = requireSystem(url, version, environment);
  listing.used?.systems.add(system);
  for (const filter of filters) {
    const problem = filterProblem(filter, system);
    if (problem !== undefined) throw new NotExpanded('wrong', problem);
  }
  const members: SetMember[] = [];
  let seen = 0;
  for (const [position, code] of system.codes.entries()) {
    const concept = system.stored?.conceptAt(position) ?? system.concept(code);
    const holds = concept === undefined ? false : passes(compiled, concept, system);
    if (holds === undefined)
      throw new NotExpanded('undecided', `a filter of the codes of \`${url}\` cannot be evaluated here`);
    if (holds) members.push({ system: url, version: system.version, code, concept, stated: undefined });
    if (members.length > listing.most)
      throw new NotExpanded('large', `it has more than ${listing.most.toLocaleString('en')} codes`);
    if (seen++ % 500 === 499) yield;
  }
  return members;
}

/** A system whose codes can be listed. Throws NotExpanded for any other. */
export function requireSystem(
  url: string,
  version: string | undefined,
  environment: Pick<SetEnvironment, 'system' | 'requireVersion'>,
): CodeSystem {
  if (grammars.has(url))
    throw new NotExpanded('undecided', `the codes of \`${url}\` are defined by a grammar and cannot be listed`);
  environment.requireVersion(url, version);
  const system = environment.system(url, version);
  if (system === undefined) throw new NotExpanded('missing', `no CodeSystem \`${url}\` is loaded`);
  if (!system.complete) throw new NotExpanded('missing', `the CodeSystem \`${url}\` is not loaded completely`);
  return system;
}

/** Decides by a published expansion. https://hl7.org/fhir/R4/valueset.html#expansion */
function publishedContains(members: readonly SetMember[], whole: boolean): Contains {
  const pairs = new Set(members.map(({ system, code }) => `${system}|${code}`));
  const codes = new Set(members.map(({ code }) => code));
  return (code, system) =>
    (system === undefined ? codes.has(code) : pairs.has(`${system}|${code}`)) || (whole ? false : undefined);
}

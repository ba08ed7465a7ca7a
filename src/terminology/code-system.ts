import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** A CodeSystem with its concepts. https://hl7.org/fhir/R4/codesystem.html */
export interface CodeSystem {
  readonly url: string;
  readonly version: string | undefined;
  /** The definition, without its concepts. */
  readonly resource: JsonObject;
  /** True if every concept is loaded: a system that is published as complete without one has its codes elsewhere. */
  readonly complete: boolean;
  /** Undefined if the definition does not state it. */
  readonly caseSensitive: boolean | undefined;
  /** In the order of the definition, each before those nested in it. */
  readonly codes: readonly string[];
  /** Finds a concept; in another case too, unless the system is case-sensitive. */
  concept(code: string): Concept | undefined;
  /** Whether concepts may have a property, by its code. */
  hasProperty(code: string): boolean;
  /** What a system has whose concepts are in the store; undefined for one in memory. */
  readonly stored?: StoredSystem;
}

/** Some of the codes of a system. */
export interface CodeSelection {
  has(code: string): boolean;
}

export interface SelectionPage {
  readonly offset: number;
  readonly count: number;
  /** Inactive concepts are left out. */
  readonly without: 'inactive' | undefined;
}

/**
 * The quicker ways of a system that is too large for memory. What its concepts have beyond their codes and hierarchy,
 * and these sets, throw NotRead until they have been read.
 */
export interface StoredSystem {
  /** The concept at a position in the order of the codes. */
  conceptAt(position: number): Concept;
  /** The codes of a concept and of all below it. */
  below(code: string): CodeSelection;
  /** The codes with a value of a property that passes a test; `key` is the same for the same test. */
  having(property: string, test: (value: string) => boolean, key: string): CodeSelection;
  /** The codes with a name that has a word beginning with this one, in lower case. */
  named(word: string): CodeSelection;
  /** A page of the concepts that are in all of these selections, and their number. */
  page(
    selections: readonly CodeSelection[],
    page: SelectionPage,
  ): { readonly total: number; readonly concepts: readonly Concept[] };
  /** Reads concepts, so that nothing of them is missing; undefined if they are in memory. */
  read(codes: readonly string[]): Promise<void> | undefined;
}

export interface Concept {
  /** The code as the definition writes it. */
  readonly code: string;
  readonly display: string | undefined;
  readonly definition: string | undefined;
  /** https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.concept.designation */
  readonly designations: readonly JsonObject[];
  /** All but those that name parents and children. */
  readonly properties: readonly JsonObject[];
  readonly extensions: readonly JsonObject[];
  /** The codes directly above it, by nesting and by properties. */
  readonly parents: readonly string[];
  /** The codes directly below it. */
  readonly children: readonly string[];
  /** The concept in which the definition nests it. */
  readonly within: string | undefined;
  /** Not to be used for records: the property `notSelectable`. */
  readonly abstract: boolean;
  /** No longer used: the property `inactive`, or the `status` `retired` or `deprecated`. */
  readonly inactive: boolean;
}

const conceptProperties = 'http://hl7.org/fhir/concept-properties#';

/** The properties with a meaning of their own. */
const meanings = ['parent', 'child', 'status', 'inactive', 'notSelectable'] as const;
type Meaning = (typeof meanings)[number];

/**
 * Reads a CodeSystem. What properties mean follows from their uri, or from their code if the system does not declare
 * them with another one. https://hl7.org/fhir/R4/codesystem-concept-properties.html
 */
export function codeSystemOf(resource: JsonObject): CodeSystem {
  const { concept: listed, ...about } = resource;
  const meaningOf = readMeanings(objectsOf(resource['property']));
  const concepts = new Map<string, MutableConcept>();
  const used = new Set(objectsOf(resource['property']).map(one => String(one['code'])));
  readConcepts(objectsOf(listed), { concepts, meaningOf, used });
  for (const { code, parents } of concepts.values())
    for (const parent of parents) concepts.get(parent)?.children.push(code);
  const caseSensitive = typeof resource['caseSensitive'] === 'boolean' ? resource['caseSensitive'] : undefined;
  let folded: ReadonlyMap<string, Concept> | undefined;
  const inAnyCase = (code: string): Concept | undefined => {
    folded ??= new Map(Array.from(concepts.values(), one => [one.code.toLowerCase(), one]));
    return folded.get(code.toLowerCase());
  };
  return {
    url: asString(resource['url']) ?? '',
    version: asString(resource['version']),
    resource: about,
    complete: resource['content'] === 'complete' && concepts.size > 0,
    caseSensitive,
    codes: [...concepts.keys()],
    concept: code => concepts.get(code) ?? (caseSensitive === true ? undefined : inAnyCase(code)),
    hasProperty: code => used.has(code) || PROPERTIES_OF_ALL.has(code),
  };
}

/** Properties of every system: its codes, names and hierarchy. */
export const PROPERTIES_OF_ALL: ReadonlySet<string> = new Set([
  'concept',
  'code',
  'display',
  'definition',
  'parent',
  'child',
  'inactive',
]);

interface MutableConcept extends Concept {
  readonly parents: string[];
  readonly children: string[];
}

interface ConceptReading {
  readonly concepts: Map<string, MutableConcept>;
  readonly meaningOf: ReadonlyMap<string, Meaning>;
  /** The codes of the properties that there are. */
  readonly used: Set<string>;
}

function readMeanings(declared: readonly JsonObject[]): ReadonlyMap<string, Meaning> {
  const found = new Map<string, Meaning>(meanings.map(one => [one, one]));
  for (const { code, uri } of declared) {
    const meaning = meanings.find(one => uri === conceptProperties + one);
    if (meaning !== undefined) found.set(String(code), meaning);
    else if (typeof uri === 'string' && uri.startsWith(conceptProperties)) found.delete(String(code));
  }
  return found;
}

function readConcepts(top: readonly JsonObject[], { concepts, meaningOf, used }: ConceptReading): void {
  const childrenOf = new Map<string, string[]>();
  const read = (list: readonly JsonObject[], within: string | undefined): void => {
    for (const one of list) {
      const concept = readConcept(one, within, meaningOf, childrenOf);
      for (const { code } of concept.properties) used.add(String(code));
      concepts.set(concept.code, concept);
      read(objectsOf(one['concept']), concept.code);
    }
  };
  read(top, undefined);
  for (const [parent, children] of childrenOf)
    for (const child of children) {
      const parents = concepts.get(child)?.parents;
      if (parents !== undefined && !parents.includes(parent)) parents.push(parent);
    }
}

function readConcept(
  one: JsonObject,
  within: string | undefined,
  meaningOf: ReadonlyMap<string, Meaning>,
  childrenOf: Map<string, string[]>,
): MutableConcept {
  const code = String(one['code']);
  const parents = within === undefined ? [] : [within];
  const properties: JsonObject[] = [];
  let [abstract, inactive] = [false, false];
  for (const property of objectsOf(one['property'])) {
    const meaning = meaningOf.get(String(property['code']));
    const value = asString(property['valueCode']);
    if (meaning === 'parent' && value !== undefined) {
      if (!parents.includes(value)) parents.push(value);
      continue;
    }
    if (meaning === 'child' && value !== undefined) {
      childrenOf.set(code, [...(childrenOf.get(code) ?? []), value]);
      continue;
    }
    properties.push(property);
    if (meaning === 'notSelectable') abstract ||= property['valueBoolean'] === true;
    if (meaning === 'inactive') inactive ||= property['valueBoolean'] === true;
    if (meaning === 'status') inactive ||= value === 'retired' || value === 'deprecated';
  }
  return {
    code,
    display: asString(one['display']),
    definition: asString(one['definition']),
    designations: objectsOf(one['designation']),
    properties,
    extensions: objectsOf(one['extension']),
    parents,
    children: [],
    within,
    abstract,
    inactive,
  };
}

/** True where a concept is the other or below it. */
export function isBelow(concept: Concept, ancestor: string, system: Pick<CodeSystem, 'concept'>): boolean {
  const seen = new Set<string>();
  const open = [concept.code];
  for (let code = open.pop(); code !== undefined; code = open.pop()) {
    if (code === ancestor) return true;
    if (seen.has(code)) continue;
    seen.add(code);
    open.push(...(system.concept(code)?.parents ?? []));
  }
  return false;
}

/** The codes of a concept and of all below it. */
export function codesBelow(code: string, system: Pick<CodeSystem, 'concept' | 'stored'>): CodeSelection {
  if (system.stored !== undefined) return system.stored.below(code);
  const found = new Set<string>();
  const open = [code];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    open.push(...(system.concept(one)?.children ?? []));
  }
  return found;
}

/**
 * A system with the designations and properties that supplements add to its concepts.
 * https://hl7.org/fhir/R4/codesystem.html#supplements
 */
export function supplemented(system: CodeSystem, supplements: readonly CodeSystem[]): CodeSystem {
  if (supplements.length === 0) return system;
  const { url, version, resource, complete, caseSensitive, codes, stored } = system;
  const own: CodeSystem = {
    url,
    version,
    resource,
    complete,
    caseSensitive,
    codes,
    ...(stored === undefined
      ? {}
      : {
          stored: {
            conceptAt: position => own.concept(codes[position] ?? '') ?? stored.conceptAt(position),
            below: code => stored.below(code),
            having: (property, test, key) => stored.having(property, test, key),
            named: word => stored.named(word),
            page: (selections, page) => stored.page(selections, page),
            read: read => stored.read(read),
          },
        }),
    hasProperty: code => system.hasProperty(code) || supplements.some(one => one.hasProperty(code)),
    concept(code) {
      const concept = system.concept(code);
      const added = concept === undefined ? [] : supplements.flatMap(one => one.concept(concept.code) ?? []);
      if (concept === undefined || added.length === 0) return concept;
      const { display, definition, parents, children, within, abstract, inactive } = concept;
      return {
        code: concept.code,
        display,
        definition,
        parents,
        children,
        within,
        abstract,
        inactive,
        designations: [...concept.designations, ...added.flatMap(({ designations }) => designations)],
        properties: [...concept.properties, ...added.flatMap(({ properties }) => properties)],
        extensions: [...concept.extensions, ...added.flatMap(({ extensions }) => extensions)],
      };
    },
  };
  return own;
}

import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { Cache } from '../limits/cache.ts';
import { codeSystemOf } from './code-system.ts';
import type { CodeSystem } from './code-system.ts';
import type { TerminologyResource, TerminologySource } from './source.ts';

/** A CodeSystem with what describes its concepts. https://hl7.org/fhir/R4/codesystem.html */
export interface DescribedSystem {
  /** The definition, without its concepts. */
  readonly resource: JsonObject;
  readonly codes: CodeSystem;
  concept(code: string): DescribedConcept | undefined;
}

export interface DescribedConcept {
  /** The code as the definition writes it. */
  readonly code: string;
  readonly display: string | undefined;
  readonly definition: string | undefined;
  /** https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.concept.designation */
  readonly designations: readonly JsonObject[];
  readonly properties: readonly JsonObject[];
  readonly parents: readonly string[];
  readonly children: readonly string[];
  /** Not to be used for records: the property `notSelectable`. */
  readonly abstract: boolean;
  /** No longer used: the property `inactive`, or the `status` `retired`. */
  readonly inactive: boolean;
}

/** Finds a loaded CodeSystem by canonical; undefined without one. */
export type FindSystem = (canonical: string) => DescribedSystem | undefined;

/**
 * The CodeSystems used last, by the resource that they were read from, so that sources share them. There are more than
 * a validation of all types of R4 needs, and fewer than a client may ask for.
 */
const known = new Cache<DescribedSystem, TerminologyResource>(400);

/** Reads CodeSystems at their first use; those used last are cached. */
export function createFindSystem(source: Pick<TerminologySource, 'find'>): FindSystem {
  return canonical => {
    const definition = source.find('CodeSystem', canonical);
    if (definition === undefined) return undefined;
    const cached = known.get(definition);
    if (cached !== undefined) return cached;
    const read = describeSystem(definition.resource());
    known.put(definition, read);
    return read;
  };
}

export function describeSystem(resource: JsonObject): DescribedSystem {
  const codes = codeSystemOf(resource);
  const written = new Map<string, JsonObject>();
  const children = new Map<string, string[]>();
  const read = (list: readonly JsonObject[]): void => {
    for (const concept of list) {
      written.set(String(concept['code']), concept);
      read(objectsOf(concept['concept']));
    }
  };
  const { concept: concepts, ...about } = resource;
  read(objectsOf(concepts));
  for (const code of codes.codes)
    for (const parent of codes.concept(code)?.parents ?? [])
      children.set(parent, [...(children.get(parent) ?? []), code]);
  return {
    resource: about,
    codes,
    concept(given) {
      const { code, properties = [], parents = [] } = codes.concept(given) ?? {};
      const concept = code === undefined ? undefined : written.get(code);
      if (code === undefined || concept === undefined) return undefined;
      return {
        code,
        display: asString(concept['display']),
        definition: asString(concept['definition']),
        designations: objectsOf(concept['designation']),
        properties: properties.filter(one => one['code'] !== 'parent' && one['code'] !== 'child'),
        parents: [...new Set(parents)],
        children: children.get(code) ?? [],
        abstract: properties.some(one => one['code'] === 'notSelectable' && one['valueBoolean'] === true),
        inactive: properties.some(isInactive),
      };
    },
  };
}

const isInactive = ({ code, valueBoolean, valueCode }: JsonObject): boolean =>
  (code === 'inactive' && valueBoolean === true) || (code === 'status' && valueCode === 'retired');

/** The designation in a language, `fr` for `fr-CA` too; undefined without one. */
export function inLanguage(designations: readonly JsonObject[], language: string): string | undefined {
  const wanted = language.toLowerCase();
  const languageOf = (one: JsonObject): string => (asString(one['language']) ?? '').toLowerCase();
  const exact = designations.find(one => languageOf(one) === wanted);
  const [base = ''] = wanted.split('-');
  const near = exact ?? designations.find(one => languageOf(one).split('-')[0] === base);
  return asString(near?.['value']);
}

/** True if a text is the display of a concept, or one of its designations, without regard to case. */
export function isDisplayOf({ display, designations }: DescribedConcept, text: string): boolean {
  const all = [display, ...designations.map(one => asString(one['value']))];
  return all.some(one => one?.toLowerCase() === text.toLowerCase());
}

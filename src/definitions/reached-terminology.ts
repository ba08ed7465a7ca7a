import { asObject, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** The official terminology. */
export interface TerminologySource {
  readonly valueSets: ReadonlyMap<string, JsonObject>;
  readonly codeSystems: ReadonlyMap<string, JsonObject>;
  expansion(url: string): JsonObject | undefined;
}

/** The part that goes into the pack: ValueSets by url, and the systems with concepts. */
export interface Reached {
  readonly valueSets: ReadonlyMap<string, JsonObject>;
  readonly systems: ReadonlySet<string>;
}

/** Most concepts of a system, and codes of an expansion, for an extensible binding. */
const few = 250;

/**
 * The terminology that the pack needs to decide bindings: the ValueSets of required bindings and those that they
 * include, with all concepts of their systems or, for a system that is not published completely, their expansion; of
 * extensible bindings and of `maxValueSet` those that a few codes decide. The rest could not be decided anyway (SNOMED
 * CT, LOINC, UCUM), or is too large for its use. https://hl7.org/fhir/R4/terminologies.html#strength
 */
export function reachedTerminology(types: readonly JsonObject[], source: TerminologySource): Reached {
  const bindings = types
    .flatMap(type => objectsOf(asObject(type['snapshot'])['element']))
    .map(element => asObject(element['binding']));
  const required = bindings.filter(({ strength }) => strength === 'required').map(({ valueSet }) => urlOf(valueSet));
  const valueSets = new Map(requiredSets(required, source));
  const systems = new Set([...valueSets.values()].flatMap(partsOf).map(({ system }) => String(system)));
  const lighter = bindings.flatMap(binding => [
    ...(binding['strength'] === 'extensible' ? [urlOf(binding['valueSet'])] : []),
    ...objectsOf(binding['extension']).map(({ valueCanonical, valueUri }) => urlOf(valueCanonical ?? valueUri)),
  ]);
  for (const url of new Set(lighter)) {
    const valueSet = source.valueSets.get(url);
    if (valueSet === undefined || valueSets.has(url)) continue;
    const whole = wholeSystems(valueSet, systems, source);
    const codes = objectsOf(source.expansion(url)?.['contains']);
    if (whole !== undefined) {
      valueSets.set(url, withExpansion(valueSet, undefined));
      for (const system of whole) systems.add(system);
    } else if (codes.length > 0 && sizeOf(codes, 'contains') <= few)
      valueSets.set(url, withExpansion(valueSet, source.expansion(url)));
  }
  return { valueSets, systems };
}

function requiredSets(urls: readonly string[], source: TerminologySource): ReadonlyMap<string, JsonObject> {
  const waiting = [...urls];
  const reached = new Map<string, JsonObject>();
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const valueSet = source.valueSets.get(url);
    if (valueSet === undefined || reached.has(url)) continue;
    const parts = partsOf(valueSet);
    const here = parts.every(
      ({ system, concept }) => concept !== undefined || system === undefined || isComplete(system, source),
    );
    reached.set(url, withExpansion(valueSet, here ? undefined : source.expansion(url)));
    waiting.push(...parts.flatMap(part => stringsOf(part['valueSet'])).map(urlOf));
  }
  return reached;
}

/** The systems that must be complete to decide a ValueSet by its composition; undefined if that is too large. */
function wholeSystems(
  valueSet: JsonObject,
  kept: ReadonlySet<string>,
  source: TerminologySource,
): readonly string[] | undefined {
  const systems: string[] = [];
  for (const { system, concept, filter, valueSet: others } of partsOf(valueSet)) {
    if (others !== undefined || filter !== undefined) return undefined;
    if (concept !== undefined || grammatical.has(String(system))) continue;
    const concepts = objectsOf(source.codeSystems.get(String(system))?.['concept']);
    if (!isComplete(system, source) || !(kept.has(String(system)) || sizeOf(concepts, 'concept') <= few))
      return undefined;
    systems.push(String(system));
  }
  return systems;
}

/** Languages and media types, whose codes are not listed. */
const grammatical: ReadonlySet<string> = new Set(['urn:ietf:bcp:47', 'urn:ietf:bcp:13']);

const urlOf = (canonical: unknown): string => String(canonical).replace(/\|.*/, '');

const isComplete = (system: unknown, { codeSystems }: TerminologySource): boolean =>
  codeSystems.get(String(system))?.['content'] === 'complete';

const partsOf = (valueSet: JsonObject): readonly JsonObject[] => {
  const { include, exclude } = asObject(valueSet['compose']);
  return [...objectsOf(include), ...objectsOf(exclude)];
};

const sizeOf = (entries: readonly JsonObject[], below: string): number =>
  entries.reduce((sum, entry) => sum + 1 + sizeOf(objectsOf(entry[below]), below), 0);

const withExpansion = (valueSet: JsonObject, expansion: JsonObject | undefined): JsonObject => ({
  ...valueSet,
  expansion: expansion?.['contains'] === undefined ? undefined : expansion,
});

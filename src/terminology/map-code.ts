import { asObject, asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** One translation of a code. */
export interface Mapped {
  /** https://hl7.org/fhir/R4/valueset-concept-map-equivalence.html */
  readonly equivalence: string;
  /** A Coding; undefined if the map states that there is none. */
  readonly concept: JsonObject | undefined;
  /** Elements of `ConceptMap.group.element.target.product`. */
  readonly products: readonly JsonObject[];
  /** Canonical of the map. */
  readonly source: string | undefined;
}

/** A code that is translated. */
export interface MappedCode {
  readonly system: string | undefined;
  readonly version: string | undefined;
  readonly code: string;
}

/** The value of a further element on which a target may depend. */
export interface Dependency {
  readonly element: string;
  /** A CodeableConcept. */
  readonly concept: JsonObject;
}

export interface MapOptions {
  /** From the targets of the map to its sources. */
  readonly reverse: boolean;
  readonly targetSystem: string | undefined;
  readonly dependencies: readonly Dependency[];
  /** Finds the map that is used for codes that one does not map (`other-map`). */
  readonly findMap: (canonical: string) => JsonObject | undefined;
}

/**
 * The translations of a code by a ConceptMap. Targets that depend on further elements are left out, unless the
 * dependencies have the values for which they are stated. https://hl7.org/fhir/R4/conceptmap.html
 */
export function mapCode(map: JsonObject, given: MappedCode, options: MapOptions): readonly Mapped[] {
  return mapBy(map, given, options, new Set());
}

/** `used`: the maps that led here, each of which is used once. */
function mapBy(map: JsonObject, given: MappedCode, options: MapOptions, used: ReadonlySet<string>): readonly Mapped[] {
  const source = asString(map['url']);
  const { reverse, targetSystem } = options;
  return objectsOf(map['group']).flatMap(group => {
    const [from, to] = reverse ? [group['target'], group['source']] : [group['source'], group['target']];
    const version = group[reverse ? 'targetVersion' : 'sourceVersion'];
    if (from !== given.system || (targetSystem !== undefined && to !== targetSystem)) return [];
    if (version !== undefined && given.version !== undefined && version !== given.version) return [];
    const found = reverse ? backward(group, given, options) : forward(group, given, options);
    return (
      found?.map(one => ({ ...one, source })) ??
      unmapped(group, given, options, new Set([...used, source ?? '']), source)
    );
  });
}

type Target = Omit<Mapped, 'source'>;

/** Undefined if the group does not have the code. */
function forward(group: JsonObject, { code }: MappedCode, options: MapOptions): readonly Target[] | undefined {
  const elements = objectsOf(group['element']).filter(element => element['code'] === code);
  if (elements.length === 0) return undefined;
  return elements
    .flatMap(element => objectsOf(element['target']))
    .filter(target => applies(target, options))
    .map(target => ({
      equivalence: String(target['equivalence']),
      concept: codingOf(group['target'], group['targetVersion'], target['code'], target['display']),
      products: objectsOf(target['product']),
    }));
}

/** https://hl7.org/fhir/R4/conceptmap-definitions.html#ConceptMap.group.element.target.dependsOn */
function applies({ dependsOn }: JsonObject, { dependencies }: MapOptions): boolean {
  return objectsOf(dependsOn).every(({ property, system, value }) =>
    dependencies
      .filter(({ element }) => element === property)
      .some(({ concept }) =>
        [...objectsOf(concept['coding']), { code: concept['text'], system }].some(
          coding => coding['code'] === value && (system === undefined || coding['system'] === system),
        ),
      ),
  );
}

/** https://hl7.org/fhir/R4/conceptmap-definitions.html#ConceptMap.group.unmapped */
function unmapped(
  group: JsonObject,
  given: MappedCode,
  options: MapOptions,
  used: ReadonlySet<string>,
  source: string | undefined,
): readonly Mapped[] {
  const { mode, code: fixed, display, url } = asObject(group['unmapped']);
  if (options.reverse) return [];
  if (mode === 'other-map') {
    const other = typeof url === 'string' && !used.has(url) ? options.findMap(url) : undefined;
    return other === undefined || used.has(String(other['url'])) ? [] : mapBy(other, given, options, used);
  }
  if (mode !== 'fixed' && mode !== 'provided') return [];
  const concept = codingOf(group['target'], group['targetVersion'], mode === 'fixed' ? fixed : given.code, display);
  return [{ equivalence: mode === 'fixed' ? 'inexact' : 'equal', concept, products: [], source }];
}

function backward(group: JsonObject, { code }: MappedCode, options: MapOptions): readonly Target[] {
  return objectsOf(group['element']).flatMap(element =>
    objectsOf(element['target'])
      .filter(target => target['code'] === code && applies(target, options))
      .map(target => ({
        equivalence: inverse[String(target['equivalence'])] ?? String(target['equivalence']),
        concept: codingOf(group['source'], group['sourceVersion'], element['code'], element['display']),
        products: [],
      })),
  );
}

/** The equivalences that have another name in the other direction. */
const inverse: Readonly<Record<string, string>> = {
  wider: 'narrower',
  narrower: 'wider',
  subsumes: 'specializes',
  specializes: 'subsumes',
};

function codingOf(system: unknown, version: unknown, code: unknown, display: unknown): JsonObject | undefined {
  if (typeof code !== 'string') return undefined;
  const parts = { system, version, code, display };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => typeof value === 'string'));
}

import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { GivenCode } from './given-codes.ts';

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

export interface MapOptions {
  /** From the targets of the map to its sources. */
  readonly reverse: boolean;
  readonly targetSystem: string | undefined;
}

/**
 * The translations of a code by a ConceptMap. Targets that depend on further elements are left out, since a call cannot
 * give these here. https://hl7.org/fhir/R4/conceptmap.html
 */
export function mapCode(map: JsonObject, given: GivenCode, { reverse, targetSystem }: MapOptions): readonly Mapped[] {
  const source = asString(map['url']);
  return objectsOf(map['group']).flatMap(group => {
    const [from, to] = reverse ? [group['target'], group['source']] : [group['source'], group['target']];
    if (from !== given.system || (targetSystem !== undefined && to !== targetSystem)) return [];
    return (reverse ? backward(group, given) : forward(group, given)).map(one => ({ ...one, source }));
  });
}

type Target = Omit<Mapped, 'source'>;

function forward(group: JsonObject, { code }: GivenCode): readonly Target[] {
  const version = group['targetVersion'];
  const elements = objectsOf(group['element']).filter(element => element['code'] === code);
  if (elements.length === 0) return unmapped(group, code);
  return elements
    .flatMap(element => objectsOf(element['target']))
    .filter(({ dependsOn }) => objectsOf(dependsOn).length === 0)
    .map(target => ({
      equivalence: String(target['equivalence']),
      concept: codingOf(group['target'], version, target['code'], target['display']),
      products: objectsOf(target['product']),
    }));
}

/** https://hl7.org/fhir/R4/conceptmap-definitions.html#ConceptMap.group.unmapped */
function unmapped(group: JsonObject, code: string): readonly Target[] {
  const { mode, code: fixed, display } = asObject(group['unmapped']);
  if (mode !== 'fixed' && mode !== 'provided') return [];
  const concept = codingOf(group['target'], group['targetVersion'], mode === 'fixed' ? fixed : code, display);
  return [{ equivalence: mode === 'fixed' ? 'inexact' : 'equal', concept, products: [] }];
}

function backward(group: JsonObject, { code }: GivenCode): readonly Target[] {
  return objectsOf(group['element']).flatMap(element =>
    objectsOf(element['target'])
      .filter(target => target['code'] === code && objectsOf(target['dependsOn']).length === 0)
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

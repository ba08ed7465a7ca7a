import type { Definitions } from '../definitions/definitions.ts';
import { asObject, asString, objectsOf, stringsOf } from '../definitions/json-object.ts';
import type { JsonObject } from '../definitions/json-object.ts';
import type { Snapshot } from './snapshot/generate.ts';

/** What a profile says of one element, from its snapshot; slices are left out. https://hl7.org/fhir/R4/elementdefinition.html */
export interface ProfileElement {
  /** The name without `[x]`; of the root the type. */
  readonly name: string;
  readonly choice: boolean;
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  /** Empty where the snapshot names none (a contentReference). */
  readonly types: readonly ProfileType[];
  /** The value that it must be, or must hold; undefined for none. */
  readonly fixed: unknown;
  readonly pattern: unknown;
  /** Canonical of the ValueSet of a required binding. */
  readonly valueSet: string | undefined;
  readonly children: readonly ProfileElement[];
}

export interface ProfileType {
  readonly code: string;
  /** Resource types that a reference may name; empty means any. */
  readonly targets: readonly string[];
  /** How a reference may be there (`contained`, `referenced`, `bundled`); empty means any. */
  readonly aggregation: readonly string[];
}

/** The element tree of a profile; undefined where there is none. https://hl7.org/fhir/R4/profiling.html#snapshot */
export function compileProfile(snapshot: Snapshot | undefined, definitions: Definitions): ProfileElement | undefined {
  const elements = (snapshot?.elements ?? []).filter(({ id }) => !String(id).includes(':'));
  const byParent = Map.groupBy(elements, ({ path }) => parentOf(String(path)));
  const compile = (element: JsonObject): ProfileElement => {
    const path = String(element['path']);
    const last = path.slice(path.lastIndexOf('.') + 1);
    const choice = last.endsWith('[x]');
    const binding = asObject(element['binding']);
    return Object.freeze({
      name: choice ? last.slice(0, -3) : last,
      choice,
      min: Number(element['min'] ?? 0),
      max: element['max'] === '*' ? Infinity : Number(element['max'] ?? 1),
      types: objectsOf(element['type']).map(type => ({
        code: String(type['code']),
        targets: targetsOf(type, definitions),
        aggregation: stringsOf(type['aggregation']),
      })),
      fixed: valueOf(element, 'fixed'),
      pattern: valueOf(element, 'pattern'),
      valueSet: binding['strength'] === 'required' ? asString(binding['valueSet']) : undefined,
      children: (byParent.get(path) ?? []).map(compile),
    });
  };
  const [root] = byParent.get('') ?? [];
  return root === undefined ? undefined : compile(root);
}

function targetsOf(type: JsonObject, definitions: Definitions): readonly string[] {
  const targets = stringsOf(type['targetProfile']).map(profile => {
    const base = /^http:\/\/hl7\.org\/fhir\/StructureDefinition\/(\w+)$/.exec(profile)?.[1];
    return base ?? asString(definitions.find('StructureDefinition', profile)?.resource()['type']) ?? 'Resource';
  });
  return targets.includes('Resource') ? [] : targets;
}

/** `fixedCode`, `patternCodeableConcept`. */
const valueOf = (element: JsonObject, kind: string): unknown =>
  element[Object.keys(element).find(key => key.startsWith(kind) && /^[A-Z]/.test(key.slice(kind.length))) ?? kind];

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

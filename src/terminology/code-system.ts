import { objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** The concepts of a loaded CodeSystem. https://hl7.org/fhir/R4/codesystem.html */
export interface CodeSystem {
  /** True if every concept is loaded: a system that is published as complete without one has its codes elsewhere. */
  readonly complete: boolean;
  /** Undefined if the definition does not state it. */
  readonly caseSensitive: boolean | undefined;
  readonly codes: readonly string[];
  concept(code: string): Concept | undefined;
}

export interface Concept {
  readonly code: string;
  readonly properties: readonly JsonObject[];
  readonly parents: readonly string[];
  readonly leaf: boolean;
}

/** Reads a CodeSystem: hierarchy by nesting, and by `parent` and `child` properties. */
export function codeSystemOf(resource: JsonObject): CodeSystem {
  const concepts = new Map<
    string,
    { code: string; properties: readonly JsonObject[]; parents: string[]; leaf: boolean }
  >();
  const read = (listed: readonly JsonObject[], parent: string | undefined): void => {
    for (const concept of listed) {
      const code = String(concept['code']);
      const below = objectsOf(concept['concept']);
      const properties = objectsOf(concept['property']);
      const parents = properties.filter(one => one['code'] === 'parent').map(one => String(one['valueCode']));
      if (parent !== undefined) parents.push(parent);
      concepts.set(code, { code, properties, parents, leaf: below.length === 0 });
      read(below, code);
    }
  };
  read(objectsOf(resource['concept']), undefined);
  for (const { parents } of concepts.values())
    for (const parent of parents) {
      const above = concepts.get(parent);
      if (above !== undefined) above.leaf = false;
    }
  const caseSensitive = typeof resource['caseSensitive'] === 'boolean' ? resource['caseSensitive'] : undefined;
  const folded = new Map(caseSensitive === false ? [...concepts].map(([code, one]) => [code.toLowerCase(), one]) : []);
  return {
    complete: resource['content'] === 'complete' && concepts.size > 0,
    caseSensitive,
    codes: [...concepts.keys()],
    concept: code => concepts.get(code) ?? folded.get(code.toLowerCase()),
  };
}

/** True where a concept is the other or below it. */
export function isBelow(concept: Concept, ancestor: string, system: CodeSystem, seen = new Set<string>()): boolean {
  if (concept.code === ancestor) return true;
  if (seen.has(concept.code)) return false;
  seen.add(concept.code);
  return concept.parents.some(parent => {
    const above = system.concept(parent);
    return parent === ancestor || (above !== undefined && isBelow(above, ancestor, system, seen));
  });
}

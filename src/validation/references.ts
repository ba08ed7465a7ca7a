import { isObject } from '../fhir/json-object.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { Report } from './report.ts';
import { walk } from './walk.ts';

/** A Reference with a text, and its position. */
export interface FoundReference {
  readonly text: string;
  readonly expression: string;
}

/**
 * The literal references of a resource of a type, for callers that resolve their targets.
 * https://hl7.org/fhir/R4/references.html#literal
 */
export function findReferences(
  resource: unknown,
  { name }: { readonly name: string },
  { definitions }: { readonly definitions: TypeDefinitions },
): readonly FoundReference[] {
  const place = new Report(0);
  place.path.push(name);
  const references: FoundReference[] = [];
  walk(resource, definitions, place, ({ value, type: { code } }) => {
    const text = code === 'Reference' && isObject(value) ? value['reference'] : undefined;
    if (typeof text === 'string') references.push({ text, expression: `${place.expression}.reference` });
  });
  return references;
}

import type { JsonObject } from '../../fhir/json-object.ts';
import type { ElementDefinition, ElementType, TypeDefinition } from '../../model/element.ts';
import type { Model } from '../../model/model.ts';

/** Values of primitive types that are valid everywhere; all others are texts. */
const primitives: Readonly<Record<string, unknown>> = {
  boolean: false,
  integer: 1,
  unsignedInt: 1,
  positiveInt: 1,
  decimal: 1,
  date: '2000-01-01',
  dateTime: '2000-01-01',
  instant: '2000-01-01T00:00:00Z',
  time: '12:00:00',
  uri: 'urn:uuid:00000000-0000-4000-8000-000000000000',
  url: 'http://example.org/',
  canonical: 'http://example.org/fhir/none',
  oid: 'urn:oid:1.2.3',
  uuid: 'urn:uuid:00000000-0000-4000-8000-000000000000',
  base64Binary: 'AAAA',
};

/**
 * The smallest resource of a type: its required elements, with values that refer to nothing. It is invented from the
 * definition alone, so that no data of the server is copied.
 */
export function smallestResource(name: string, model: Model): JsonObject | undefined {
  const definition = model.definitions.get(name);
  return definition === undefined ? undefined : { resourceType: name, ...required(definition, model) };
}

function required(definition: TypeDefinition, model: Model): JsonObject {
  const found: Record<string, unknown> = {};
  for (const element of definition.elements.values()) {
    const [type] = element.types;
    if (element.min === 0 || type === undefined) continue;
    const value = valueOf(element, type, model);
    found[type.property] = element.max > 1 ? [value] : value;
  }
  return found;
}

function valueOf(element: ElementDefinition, type: ElementType, model: Model): unknown {
  if (type.content !== undefined) return required(type.content, model);
  const { code } = type;
  if (code === 'Reference') return { display: 'conformance test' };
  if (code === 'CodeableConcept' || code === 'Annotation')
    return { text: 'conformance test', ...coding(element, model) };
  if (code === 'code') return firstCode(element, model)?.code ?? 'unknown';
  if (code === 'Coding') return { ...firstCode(element, model), display: 'conformance test' };
  if (Object.hasOwn(primitives, code)) return primitives[code];
  const definition = model.definitions.get(code);
  return definition === undefined || definition.kind === 'primitive-type'
    ? 'conformance test'
    : required(definition, model);
}

function coding(element: ElementDefinition, model: Model): JsonObject {
  const first = element.binding?.strength === 'required' ? firstCode(element, model) : undefined;
  return first === undefined ? {} : { coding: [first] };
}

/** The first code of the bound value set. */
function firstCode(
  { binding }: ElementDefinition,
  { expansions }: Model,
): { readonly system: string; readonly code: string } | undefined {
  if (binding === undefined) return undefined;
  const found = expansions.valueSet(binding.valueSet);
  const [first] = 'codes' in found ? found.codes : [];
  const [code] = first?.codes ?? [];
  return first === undefined || code === undefined ? undefined : { system: first.system, code };
}

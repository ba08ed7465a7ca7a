import { describe, expect, it } from 'vitest';
import type { TypeDefinition } from '../../src/model/element.ts';
import { readOfficialSearchParameters, readTypeDefinitions } from '../../src/model/type-definitions.ts';

// https://hl7.org/fhir/R4/elementdefinition.html

const types = readTypeDefinitions();
const type = (name: string): TypeDefinition => {
  const found = types.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe('a type definition', () => {
  it('has cardinality, summary and binding of an element', () => {
    expect(type('Observation').elements.get('status')).toEqual({
      path: 'Observation.status',
      name: 'status',
      choice: false,
      min: 1,
      max: 1,
      summary: true,
      modifier: true,
      attribute: false,
      types: [{ code: 'code', property: 'status', targets: [] }],
      binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/observation-status|4.0.1' },
    });
    expect(type('Patient').elements.get('name')?.max).toBe(Infinity);
  });

  it('has the attributes of XML: the ids of elements, and the url of an extension', () => {
    const isAttribute = (of: TypeDefinition | undefined, name: string) => of?.elements.get(name)?.attribute;
    const contact = type('Patient').elements.get('contact')?.types[0]?.content;
    expect([
      isAttribute(contact, 'id'),
      isAttribute(type('Coding'), 'id'),
      isAttribute(type('Extension'), 'url'),
    ]).toEqual([true, true, true]);
    expect([isAttribute(type('Patient'), 'id'), isAttribute(type('ValueSet'), 'url')]).toEqual([false, false]);
  });

  it('has a choice once among its elements and once for each type among its properties', () => {
    const condition = type('Condition');
    expect(condition.elements.get('onset')?.types.map(({ property }) => property)).toEqual([
      'onsetDateTime',
      'onsetAge',
      'onsetPeriod',
      'onsetRange',
      'onsetString',
    ]);
    expect(condition.properties.get('onsetAge')?.type.code).toBe('Age');
    expect([condition.properties.has('onset'), condition.elements.has('onset[x]')]).toEqual([false, false]);
  });

  it('is none of a profile or an extension of R4', () => {
    expect(['vitalsigns', 'bp', 'patient-nationality', 'SimpleQuantity'].map(name => types.get(name))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('nests backbone elements and follows a contentReference to the same content', () => {
    const content = (of: TypeDefinition | undefined, name: string) => of?.elements.get(name)?.types[0]?.content;
    const item = content(type('Questionnaire'), 'item');
    expect(item?.base).toBe('BackboneElement');
    expect(content(item, 'item')).toBe(item);
    const range = content(content(type('Observation'), 'component'), 'referenceRange');
    expect(range).toBe(content(type('Observation'), 'referenceRange'));
  });

  it('has the target types of a reference; none for any resource', () => {
    expect(type('Encounter').properties.get('appointment')?.type.targets).toEqual(['Appointment']);
    expect(type('Observation').properties.get('focus')?.type.targets).toEqual([]);
  });

  it('gives ids, urls and narratives their FHIR types', () => {
    const code = (of: string, name: string) => type(of).properties.get(name)?.type.code;
    expect([code('Patient', 'id'), code('Period', 'id'), code('Extension', 'url'), code('Narrative', 'div')]).toEqual([
      'id',
      'string',
      'uri',
      'xhtml',
    ]);
  });

  it('has for a primitive what its underscore sibling may hold', () => {
    expect([...type('date').properties.keys()]).toEqual(['id', 'extension']);
    expect([type('date').kind, type('code').base]).toEqual(['primitive-type', 'string']);
  });

  it('knows nothing of other names', () => {
    expect([types.get('Pacient'), types.resourceTypes.has('DomainResource'), types.resourceTypes.size]).toEqual([
      undefined,
      false,
      146,
    ]);
  });

  it('names only existing types, in all of R4', () => {
    const codes = new Set<string>();
    const walk = (definition: TypeDefinition, seen: Set<TypeDefinition>): void => {
      if (seen.has(definition)) return;
      seen.add(definition);
      for (const { type: of } of definition.properties.values()) {
        codes.add(of.code);
        const next = of.content ?? types.get(of.code);
        if (next !== undefined) walk(next, seen);
      }
    };
    const seen = new Set<TypeDefinition>();
    for (const name of types.resourceTypes) walk(type(name), seen);
    expect([...codes].filter(code => types.get(code) === undefined)).toEqual([]);
    expect(seen.size).toBeGreaterThan(600);
  });
});

describe('the official search parameters', () => {
  it('are all there', () => {
    expect(readOfficialSearchParameters()).toHaveLength(1375);
  });
});

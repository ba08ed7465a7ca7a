import type { JsonObject } from '../fhir/json-object.ts';
import { primitives } from '../fhir/primitive.ts';
import type { ElementDefinition, ElementType, TypeDefinition } from '../model/element.ts';
import type { Source } from './source.ts';

/** A record with the mandatory elements of its type alone, and an id; the structure is valid. */
export function exampleRecord(definition: TypeDefinition, source: Source): JsonObject {
  return { resourceType: definition.name, id: '123', ...mandatory(definition, source) };
}

const mandatory = (definition: TypeDefinition, source: Source): JsonObject =>
  Object.fromEntries(
    [...definition.elements.values()]
      .filter(({ min, max }) => min > 0 && max > 0)
      .flatMap(element => {
        const [type] = element.types;
        return type === undefined ? [] : [[type.property, valueOf(element, type, source)] as const];
      }),
  );

function valueOf(element: ElementDefinition, type: ElementType, source: Source): unknown {
  const one = singleValue(element, type, source);
  return element.max === 1 ? one : Array.from({ length: element.min }, () => one);
}

function singleValue({ binding }: ElementDefinition, type: ElementType, source: Source): unknown {
  const { model, fewCodes } = source;
  const { code, content, targets } = type;
  const [known] = (binding?.strength === 'required' && fewCodes(binding.valueSet)) || [];
  if (code === 'code' && known !== undefined) return known;
  if (primitives.has(code)) return texts[code] ?? 'text';
  if (code === 'Reference') return { reference: `${targets[0] ?? model.types.keys().next().value ?? ''}/123` };
  const definition = content ?? model.definitions.get(code);
  if (definition === undefined || definition.abstract) return {};
  const own = mandatory(definition, source);
  return Object.keys(own).length > 0 ? own : firstText(definition, source);
}

/** The element `text`, else the first one of a primitive type, since an element is never empty. */
function firstText({ elements }: TypeDefinition, source: Source): JsonObject {
  const plain = [...elements.values()].filter(
    ({ name, types }) => name !== 'id' && primitives.has(types[0]?.code ?? ''),
  );
  const element = plain.find(({ name }) => name === 'text') ?? plain[0];
  const type = element?.types[0];
  return element === undefined || type === undefined ? {} : { [type.property]: valueOf(element, type, source) };
}

/** Values of the primitive types. https://hl7.org/fhir/R4/datatypes.html#primitive */
const texts: Readonly<Record<string, unknown>> = {
  boolean: true,
  integer: 1,
  unsignedInt: 1,
  positiveInt: 1,
  decimal: 1.5,
  code: 'code',
  id: '123',
  uri: 'http://example.org/uri',
  url: 'http://example.org/url',
  canonical: 'http://example.org/definition',
  oid: 'urn:oid:1.2.3',
  uuid: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
  base64Binary: 'AA==',
  date: '2024-05-17',
  dateTime: '2024-05-17',
  instant: '2024-05-17T08:30:00Z',
  time: '08:30:00',
  xhtml: '<div xmlns="http://www.w3.org/1999/xhtml">text</div>',
};

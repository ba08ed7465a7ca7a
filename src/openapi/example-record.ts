import { asObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { primitives } from '../fhir/primitive.ts';
import type { ElementDefinition, ElementType, TypeDefinition } from '../model/element.ts';
import type { Attachment, ResourceType } from '../model/model.ts';
import parts from './example-parts.json' with { type: 'json' };
import type { Source } from './source.ts';

/**
 * A valid record with an id, the mandatory elements of its type (`definition`, of R4 or of a profile), what the
 * invariants of R4 require besides (`example-parts.json`), and an attachment of a type that is accepted.
 */
export function exampleRecord(
  definition: TypeDefinition,
  attachment: ResourceType['attachment'],
  source: Source,
): JsonObject {
  const record = {
    resourceType: definition.name,
    id: '123',
    ...mandatory(definition, source),
    ...asObject((parts as JsonObject)[definition.name]),
  };
  return attachment === undefined ? record : withAttachment(record, attachment);
}

/** The record with the first bytes of the first accepted type, which its path leads to. */
function withAttachment(record: JsonObject, { path, contentTypes }: Attachment): JsonObject {
  const [first] = contentTypes;
  const bytes = Buffer.from((first?.signature ?? '00').replaceAll('..', '00'), 'hex');
  const names = path.split('.').slice(1);
  const put = (element: JsonObject, [name = '', ...below]: readonly string[]): JsonObject =>
    below.length === 0
      ? { ...element, contentType: first?.type, [name]: bytes.toString('base64') }
      : { ...element, [name]: put(asObject(element[name]), below) };
  return put(record, names);
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
  const { model } = source;
  const { code, content, targets } = type;
  if (code === 'code' && binding?.strength === 'required') return firstCode(binding.valueSet, source);
  if (primitives.has(code)) return texts[code] ?? 'text';
  if (code === 'Reference') return { reference: `${targets[0] ?? model.types.keys().next().value ?? ''}/123` };
  const definition = content ?? model.definitions.get(code);
  if (definition === undefined || definition.abstract) return {};
  const own = mandatory(definition, source);
  return Object.keys(own).length > 0 ? own : firstText(definition, source);
}

/** A code of a value set. All media types (BCP 13) and languages (BCP 47) cannot be listed. */
function firstCode(valueSet: string, { model, fewCodes }: Source): string {
  const [few] = fewCodes(valueSet) ?? [];
  if (few !== undefined) return few;
  const expansion = model.expansions.valueSet(valueSet);
  const found = 'problem' in expansion ? undefined : expansion.codes.flatMap(({ codes }) => [...codes])[0];
  return found ?? unlisted[valueSet.replace(/\|.*/, '')] ?? 'code';
}

const unlisted: Readonly<Record<string, string>> = {
  'http://hl7.org/fhir/ValueSet/mimetypes': 'text/plain',
  'http://hl7.org/fhir/ValueSet/all-languages': 'en',
};

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

import { asObject, asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import { primitives } from '../../fhir/primitive.ts';
import type { Primitive } from '../../fhir/primitive.ts';
import type { OperationParameter } from '../../model/model.ts';
import { withPlus } from '../../search/parse/date.ts';
import { escape } from '../../search/parse/escape.ts';
import { shorten } from '../../validation/report.ts';

/**
 * The JSON value of a parameter in a URL, which must be of a primitive type, or a reference where it may be. Throws
 * FhirError 400. https://hl7.org/fhir/R4/operations.html#request
 */
export function readPrimitive({ name, type = '', inUrl }: OperationParameter, text: string): unknown {
  if (inUrl) return { reference: text };
  const primitive = primitives.get(type);
  if (primitive === undefined) {
    const what = type === '' ? 'parts' : `the type ${type}`;
    throw badArgument(`The parameter \`${name}\` has ${what}: send it in Parameters by POST.`, `http.${name}`);
  }
  const value = jsonOf(primitive, type === 'instant' || type === 'dateTime' ? withPlus(text) : text);
  if (value === undefined) throw notOfType(name, text, primitive, `http.${name}`);
  return value;
}

function jsonOf(primitive: Primitive, text: string): unknown {
  switch (primitive.json) {
    case 'string':
      return primitive.is(text) ? text : undefined;
    case 'number': {
      const form = primitive.integer ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/;
      return form.test(text) && primitive.is(Number(text)) ? Number(text) : undefined;
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    default:
      return primitive satisfies never;
  }
}

/**
 * The value of a part of Parameters, whose structure is valid: the JSON of its `value[x]`, its resource, or for a
 * parameter with parts the part itself. `at` is its FHIRPath. Throws FhirError 400 for another type than that of the
 * parameter; texts may be sent as any string type, as clients do. https://hl7.org/fhir/R4/parameters.html
 */
export function valueOfPart(parameter: OperationParameter, part: JsonObject, at: string): unknown {
  const { name, type } = parameter;
  if (type === undefined) {
    if (part['part'] !== undefined) return part;
    throw badArgument(`The parameter \`${name}\` has parts: send them as \`part\`.`, at);
  }
  const { resource } = part;
  if (isObject(resource)) {
    if (resource['resourceType'] === type || type === 'Resource') return resource;
    throw badArgument(`The parameter \`${name}\` must be of the type ${type}, not a resource.`, at);
  }
  const [property = '', value] = Object.entries(part).find(([one]) => one.startsWith('value')) ?? [];
  const primitive = primitives.get(type);
  if (primitive?.json === 'string' && typeof value === 'string') {
    if (!primitive.is(value)) throw notOfType(name, value, primitive, at);
    return value;
  }
  const isOfType = property === `value${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const isInteger = typeof value === 'number' && primitive?.json === 'number' && primitive.is(value);
  if (isOfType || isInteger) return value;
  const found = property === '' ? 'absent' : `\`${property}\``;
  throw badArgument(`The parameter \`${name}\` must be of the type ${type}, not ${found}.`, at);
}

/**
 * A value in Parameters as the value of a search parameter. Throws FhirError 400 for one that has no such form.
 * https://hl7.org/fhir/R4/search.html#token
 */
export function searchText(value: unknown, at: string): string {
  if (typeof value === 'string') return value.replace(/[\\,$]/g, '\\$&'); // `|` precedes the version of a canonical
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const { system, code, value: identifier, reference } = asObject(value);
  const known = asString(reference) ?? asString(code) ?? asString(identifier);
  const within = asString(system);
  if (known === undefined && within === undefined)
    throw badArgument('The value has no code, system, value or reference to search for: send one.', at);
  const text = escape(known ?? '');
  return within === undefined ? text : `${escape(within)}|${text}`;
}

const notOfType = (name: string, text: string, { wanted }: Primitive, at: string): FhirError =>
  badArgument(`\`${name}\` must be ${wanted}, not \`${shorten(text)}\`.`, at);

const badArgument = (text: string, at: string): FhirError =>
  fhirError(400, 'value', text, /^[\w.[\]"-]+$/.test(at) ? at : undefined);

import type { JsonObject } from '../fhir/json-object.ts';
import { asString, isObject } from '../fhir/json-object.ts';
import { primitives } from '../fhir/primitive.ts';
import type { Item } from '../fhirpath/evaluate/item.ts';
import { constantOf, positionVariables } from '../fhirpath/names.ts';
import { isViewName, nameRule } from './names.ts';
import type { ViewProblem } from './view.ts';

/** A constant of a view: its value, and the literal of FHIRPath with the same meaning. */
export interface Constant {
  readonly items: readonly Item[];
  readonly literal: string;
}

/**
 * The constants of a view by name; reports those without one valid value. Each has the type of its property, so that a
 * `valueDate` is compared as a date. https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html
 */
export function readConstants(list: unknown, problems: ViewProblem[]): ReadonlyMap<string, Constant | undefined> {
  const found = new Map<string, Constant | undefined>();
  if (list === undefined) return found;
  if (!Array.isArray(list)) {
    problems.push({ path: 'constant', text: '`constant` is a list of objects.' });
    return found;
  }
  for (const [index, one] of (list as readonly unknown[]).entries()) {
    const path = `constant[${index}]`;
    const report = (text: string, part = ''): void => void problems.push({ path: path + part, text });
    if (!isObject(one)) {
      report('A constant is an object with `name` and one `value[x]`.');
      continue;
    }
    const name = asString(one['name']) ?? '';
    if (!isViewName(name)) report(`The name of a constant ${nameRule}`, '.name');
    else if (found.has(name)) report(`The constant \`${name}\` is defined twice.`, '.name');
    else if (name === 'rowIndex' || positionVariables.has(name) || constantOf(name) !== undefined)
      report(`\`%${name}\` has a meaning of its own; give the constant another name.`, '.name');
    found.set(name, readConstant(one, report));
  }
  return found;
}

function readConstant(one: JsonObject, report: (text: string, part?: string) => void): Constant | undefined {
  const values = Object.keys(one).filter(key => key.startsWith('value'));
  const [property, second] = values;
  if (property === undefined) {
    report('The constant has no value: write one `value[x]`, such as `valueString`.');
    return undefined;
  }
  if (second !== undefined) {
    report(`The constant has several values: ${values.map(key => `\`${key}\``).join(' and ')}. Write one of them.`);
    return undefined;
  }
  const code = property.charAt(5).toLowerCase() + property.slice(6);
  const value = one[property];
  const constant = types.has(code) ? constantValue(code, value) : undefined;
  if (types.has(code) && constant === undefined) {
    const wanted = code === 'integer64' ? 'an integer' : primitives.get(code)?.wanted;
    report(`\`${property}\` must be ${wanted}.`, `.${property}`);
  } else if (constant === undefined)
    report(`\`${property}\` is no type of a constant; use one of ${[...types].join(', ')}.`, `.${property}`);
  return constant;
}

function constantValue(code: string, value: unknown): Constant | undefined {
  if (code === 'integer64') {
    const isText = typeof value === 'string' && /^-?\d{1,19}$/.test(value);
    const number = isText ? Number(value) : value;
    return typeof number === 'number' && Number.isInteger(number) ? numberOf(number, String(value)) : undefined;
  }
  const primitive = primitives.get(code);
  if (primitive === undefined || typeof value !== primitive.json) return undefined;
  if (typeof value === 'boolean') return { items: [value], literal: String(value) };
  if (typeof value === 'number') {
    if (primitive.json !== 'number' || !primitive.is(value)) return undefined;
    if (primitive.integer) return numberOf(value, String(value));
    return { items: [{ kind: 'decimal', value }], literal: signed(String(value)) };
  }
  if (typeof value !== 'string' || primitive.json !== 'string' || !primitive.is(value)) return undefined;
  switch (code) {
    case 'date':
      return { items: [{ kind: 'temporal', type: 'Date', text: value }], literal: `@${value}` };
    case 'time':
      return { items: [{ kind: 'temporal', type: 'Time', text: value }], literal: `@T${value}` };
    case 'dateTime':
    case 'instant': {
      const literal = value.includes('T') ? `@${value}` : `@${value}T`;
      return { items: [{ kind: 'temporal', type: 'DateTime', text: value }], literal };
    }
    default:
      return { items: [value], literal: quoted(value) };
  }
}

const numberOf = (value: number, text: string): Constant => ({ items: [value], literal: signed(text) });

const signed = (text: string): string => (text.startsWith('-') ? `(${text})` : text);

/** A literal of a text. https://hl7.org/fhirpath/N1/#string */
const quoted = (text: string): string =>
  `'${text.replace(/[\\']/g, found => `\\${found}`).replace(/[\n\r\t\f]/g, found => escapes[found] ?? '')}'`;

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\f': '\\f' };

/** The types of constants; R4 has no integer64. */
const types: ReadonlySet<string> = new Set(
  `base64Binary boolean canonical code date dateTime decimal id instant integer integer64 oid string positiveInt time
  unsignedInt uri url uuid`.split(/\s+/),
);

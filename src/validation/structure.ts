// The structure is checked with the type definitions and not with JSON Schemas in ajv: a resource type takes ajv 120 to
// 240 ms to compile (this walk needs only the definitions), its errors name neither FHIRPath nor a misspelt element,
// and closed objects with choices make its messages long and its schemas large.
import { type Decimals, decimalText } from '../fhir/json.ts';
import { type JsonObject, isObject } from '../fhir/json-object.ts';
import type { Issue } from '../fhir/outcome.ts';
import type { Primitive } from '../fhir/primitive.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { Report, shorten } from './report.ts';
import { type Field, type Shape, type Shapes, shapesOf } from './shape.ts';
import { kindOf, misplacedProperty } from './structure-text.ts';

export interface StructureOptions {
  /** The parser's texts of numbers, if it ran: `1.0` is not an integer, although its value is. */
  readonly decimals?: Decimals;
  /** The most issues to list; another one reports that there may be more. Default 50. */
  readonly limit?: number;
}

/**
 * All structural errors of a resource by the base definitions of R4: unknown elements, JSON types, arrays, cardinality,
 * primitive formats, choices, `_` siblings, empty values, contained resources. `typeName` is the required type.
 * Profiles, invariants and references are not checked. https://hl7.org/fhir/R4/json.html,
 * https://hl7.org/fhir/R4/conformance-rules.html#cardinality
 */
export function checkStructure(
  resource: unknown,
  model: { readonly definitions: TypeDefinitions },
  typeName?: string,
  options: StructureOptions = {},
): readonly Issue[] {
  const report = new Report(options.limit ?? 50);
  const walk: Walk = {
    report,
    shapes: shapesOf(model.definitions),
    definitions: model.definitions,
    decimals: options.decimals?.size === 0 ? undefined : options.decimals,
  };
  report.path.push(typeName ?? typeOf(resource, model.definitions) ?? 'Resource');
  checkResource(walk, resource, typeName);
  return report.issues;
}

interface Walk {
  readonly report: Report;
  readonly shapes: Shapes;
  readonly definitions: TypeDefinitions;
  readonly decimals: Decimals | undefined;
}

/** The resourceType of a value, if it is a type of R4. */
function typeOf(value: unknown, definitions: TypeDefinitions): string | undefined {
  const name = isObject(value) && Object.hasOwn(value, 'resourceType') ? value['resourceType'] : undefined;
  return typeof name === 'string' && definitions.resourceTypes.has(name) ? name : undefined;
}

function checkResource(walk: Walk, value: unknown, expected?: string): void {
  const { report, definitions } = walk;
  if (!isObject(value)) {
    report.add('structure', `A resource must be an object, not ${kindOf(value)}.`);
    return;
  }
  const name = typeOf(value, definitions);
  if (name === undefined) {
    const given = Object.hasOwn(value, 'resourceType') ? value['resourceType'] : undefined;
    if (given === undefined) report.add('structure', 'A resource must have a `resourceType`.');
    else if (typeof given !== 'string') {
      report.add('structure', `\`resourceType\` must be the name of a resource type, not ${kindOf(given)}.`);
    } else {
      const known = definitions.resourceTypes;
      report.add('structure', `\`${shorten(given)}\` is not a resource type of R4.${didYouMean(given, known)}`);
    }
  } else if (expected !== undefined && name !== expected) {
    report.add('structure', `A resource of type \`${expected}\` is expected here, not \`${name}\`.`);
  } else checkObject(walk, value, walk.shapes.byName(name));
}

function checkObject(walk: Walk, object: JsonObject, shape: Shape): void {
  const { report } = walk;
  const { path } = report;
  let empty = true;
  let choices: Field[] | undefined;
  for (const property in object) {
    empty = false;
    const field = shape.fields.get(property);
    if (field === undefined) {
      if (property === 'resourceType' && shape.definition.kind === 'resource') continue;
      path.push(property);
      report.add('structure', misplacedProperty(property, shape));
      path.pop();
      if (report.full) return;
      continue;
    }
    if (field.element.choice) (choices ??= []).push(field);
    path.push(field.name);
    checkField(walk, object, object[property], field);
    path.pop();
    if (report.full) return;
  }
  if (empty) report.add('structure', `An object must not be empty: omit it or give it content.`);
  if (choices !== undefined && choices.length > 1) checkChoices(report, choices);
  for (const { element, properties } of shape.required) {
    if (!properties.some(property => Object.hasOwn(object, property))) {
      path.push(element.name);
      const wanted = element.choice
        ? `one of ${element.types.map(({ property }) => `\`${property}\``).join(', ')}`
        : `\`${element.name}\``;
      report.add('required', `\`${shape.name}\` must have ${wanted}.`);
      path.pop();
    }
  }
}

/** A choice element may have one type only. https://hl7.org/fhir/R4/formats.html#choice */
function checkChoices(report: Report, fields: readonly Field[]): void {
  const first = new Map<string, Field>();
  for (const field of fields) {
    const other = first.get(field.name);
    const plain = field.sibling ? field.property.slice(1) : field.property;
    if (other === undefined) first.set(field.name, field);
    else if (plain !== (other.sibling ? other.property.slice(1) : other.property)) {
      report.path.push(field.name);
      report.add(
        'structure',
        `Only one type of \`${field.name}[x]\` is allowed, not \`${other.property}\` and \`${field.property}\`.`,
      );
      report.path.pop();
    }
  }
}

function checkField(walk: Walk, owner: JsonObject, value: unknown, field: Field): void {
  const { report } = walk;
  if (!field.many) {
    if (Array.isArray(value)) {
      report.add('structure', `\`${field.property}\` does not repeat, so it must not be an array.`);
    } else if (field.sibling) checkSibling(walk, value, field);
    else if (field.primitive !== undefined) checkPrimitive(walk, owner, field.property, value, field.primitive, field);
    else checkComplex(walk, value, field);
    return;
  }
  if (!Array.isArray(value)) {
    report.add('structure', `\`${field.property}\` may repeat, so it must be an array, not ${kindOf(value)}.`);
    return;
  }
  if (value.length === 0) report.add('structure', `\`${field.property}\` must not be an empty array: omit it.`);
  if (value.length > field.element.max) {
    report.add(
      'structure',
      `\`${field.property}\` is allowed ${field.element.max} times at most, found ${value.length}.`,
    );
  }
  const { path } = report;
  const other = field.primitive === undefined ? undefined : pairOf(owner, field);
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    path.push(index);
    if (item === null && field.primitive !== undefined) checkGap(report, other?.[index], field);
    else if (field.sibling) checkSibling(walk, item, field);
    else if (field.primitive !== undefined) checkPrimitive(walk, value, index, item, field.primitive, field);
    else checkComplex(walk, item, field);
    path.pop();
    if (report.full) return;
  }
  if (field.sibling && other !== undefined && other.length !== value.length) {
    const plain = field.property.slice(1);
    report.add('structure', `\`${field.property}\` and \`${plain}\` must have the same length: fill gaps with null.`);
  }
}

/** The array that corresponds to an array of a primitive: its `_` sibling, or for that the values. */
function pairOf(owner: JsonObject, field: Field): readonly unknown[] | undefined {
  const name = field.sibling ? field.property.slice(1) : `_${field.property}`;
  const other = Object.hasOwn(owner, name) ? owner[name] : undefined;
  return Array.isArray(other) ? other : undefined;
}

/**
 * In an array of a primitive, null means that the other array has a value here.
 * https://hl7.org/fhir/R4/json.html#primitive
 */
function checkGap(report: Report, other: unknown, field: Field): void {
  if (other !== undefined && other !== null) return;
  const name = field.sibling ? field.property.slice(1) : `_${field.property}`;
  report.add('structure', `null is allowed here only if \`${name}\` has a value at the same index.`);
}

function checkSibling(walk: Walk, value: unknown, field: Field): void {
  if (isObject(value)) checkObject(walk, value, field.shape());
  else
    walk.report.add(
      'structure',
      `\`${field.property}\` must be an object with \`id\` or \`extension\`, not ${kindOf(value)}.`,
    );
}

function checkComplex(walk: Walk, value: unknown, field: Field): void {
  if (field.resource) checkResource(walk, value);
  else if (isObject(value)) checkObject(walk, value, field.shape());
  else {
    const hint = value === null ? ': omit it' : '';
    walk.report.add('structure', `\`${field.property}\` must be an object, not ${kindOf(value)}${hint}.`);
  }
}

function checkPrimitive(
  walk: Walk,
  parent: object,
  key: string | number,
  value: unknown,
  primitive: Primitive,
  field: Field,
): void {
  switch (primitive.json) {
    case 'string':
      if (typeof value === 'string') {
        if (!primitive.is(value)) badValue(walk, value, primitive, field);
        return;
      }
      break;
    case 'number':
      if (typeof value === 'number') {
        const text = walk.decimals === undefined ? undefined : decimalText(walk.decimals, parent, key, value);
        const written = text === undefined || !primitive.integer || /^-?\d{1,20}$/.test(text);
        if (!written || !primitive.is(value)) badValue(walk, text ?? String(value), primitive, field);
        return;
      }
      break;
    case 'boolean':
      if (typeof value === 'boolean') return;
      break;
    default:
      primitive satisfies never;
  }
  const hint = value === null ? ': omit it' : '';
  walk.report.add('structure', `\`${field.property}\` must be ${primitive.wanted}, not ${kindOf(value)}${hint}.`);
}

function badValue(walk: Walk, text: string, primitive: Primitive, field: Field): void {
  const found = text === '' ? 'empty' : `\`${shorten(text)}\``;
  walk.report.add('value', `\`${field.property}\` must be ${primitive.wanted}, not ${found}.`);
}

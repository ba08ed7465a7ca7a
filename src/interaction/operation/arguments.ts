import { asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Decimals } from '../../fhir/json.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Operation, OperationParameter } from '../../model/model.ts';
import { operationOf } from '../../model/operation-call.ts';
import { isIgnored } from '../../search/parse/ignorable.ts';
import type { QueryPair } from '../../search/request.ts';
import { shorten } from '../../validation/report.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { parseBody, requireLength } from '../write/body.ts';
import { readPrimitive, searchText, valueOfPart } from './argument-value.ts';

/**
 * The arguments of a call, by the name of the parameter: the JSON of each value, in order; parts as Parameters have
 * them.
 */
export class Arguments {
  readonly #values: ReadonlyMap<string, readonly unknown[]>;
  /** The digits of numbers in the body. */
  readonly decimals: Decimals | undefined;

  constructor(values: ReadonlyMap<string, readonly unknown[]>, decimals?: Decimals) {
    this.#values = values;
    this.decimals = decimals;
  }

  all(name: string): readonly unknown[] {
    return this.#values.get(name) ?? [];
  }

  text(name: string): string | undefined {
    return asString(this.all(name)[0]);
  }

  texts(name: string): readonly string[] {
    return this.all(name).filter(value => typeof value === 'string');
  }

  number(name: string): number | undefined {
    const [value] = this.all(name);
    return typeof value === 'number' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.all(name)[0] === true;
  }

  object(name: string): JsonObject | undefined {
    const [value] = this.all(name);
    return isObject(value) ? value : undefined;
  }
}

interface ReadArguments {
  readonly given: Arguments;
  /** The pairs of the URL, and the texts of Parameters, that are no parameters of the operation. */
  readonly others: readonly QueryPair[];
}

/**
 * The arguments of a call in the URL and in the body, checked against the OperationDefinition: names, types and
 * cardinality. The body has Parameters, or the resource of the one parameter that takes resources. Throws FhirError
 * 400; under lenient handling unknown and empty parameters are ignored. https://hl7.org/fhir/R4/operations.html#request
 */
export function readArguments(engine: Engine, request: FhirRequest): Arguments {
  return readAll(engine, request, 'refused').given;
}

/**
 * Reads the parameters of an operation that also takes those of a search: these are returned beside its own.
 */
export const readArgumentsBesideSearch = (engine: Engine, request: FhirRequest): ReadArguments =>
  readAll(engine, request, 'searched');

function readAll(engine: Engine, request: FhirRequest, unknown: 'refused' | 'searched'): ReadArguments {
  const operation = operationOf(engine.model, request);
  if (operation === undefined) throw new Error('The request calls no declared operation');
  const { handling } = request;
  const values = new Map<string, unknown[]>();
  const others: QueryPair[] = [];
  const places = new Map<string, string>();
  const add = (name: string, value: unknown, at: string): void => {
    values.set(name, [...(values.get(name) ?? []), value]);
    places.set(name, at);
  };
  for (const [name, text] of request.parameters) {
    const parameter = operation.parameters.get(name);
    if (parameter === undefined && unknown === 'searched') others.push([name, text]);
    else if (parameter === undefined) {
      if (!isIgnored(name, { handling })) throw unknownParameter(operation, name, `http.${name}`);
    } else if (text !== '') {
      const at = `http.${name}`;
      add(name, readPrimitive(supported(operation, parameter, at), text), at);
    } else if (handling !== 'lenient')
      throw fhirError(400, 'value', `\`${name}\` has no value; give it one or omit it.`, `http.${name}`);
  }
  const { parts, decimals } = readBody(engine, operation, request.body);
  for (const { name, value, at } of parts) {
    const parameter = operation.parameters.get(name);
    if (parameter !== undefined) add(name, valueOfPart(supported(operation, parameter, at), value, at), at);
    else if (unknown === 'searched') others.push([name, textOf(value, at)]);
    else if (handling !== 'lenient') throw unknownParameter(operation, name, at);
  }
  for (const parameter of operation.parameters.values()) {
    const { length: count } = values.get(parameter.name) ?? [];
    requireCardinality(operation, parameter, count, places.get(parameter.name));
  }
  return { given: new Arguments(values, decimals), others };
}

/**
 * The pairs of a call of an operation that is a search, from the URL and from Parameters: the values of a parameter
 * that may be repeated are a list in one pair. Throws FhirError 400 for a body that is not valid.
 */
export function searchPairs(engine: Engine, request: FhirRequest): readonly QueryPair[] {
  const operation = operationOf(engine.model, request);
  if (operation === undefined) throw new Error('The request calls no declared operation');
  const sent = readBody(engine, operation, request.body).parts.map(({ name, value, at }): QueryPair => {
    const parameter = operation.parameters.get(name);
    return [name, parameter === undefined ? textOf(value, at) : searchText(valueOfPart(parameter, value, at), at)];
  });
  const pairs: QueryPair[] = [];
  const lists = new Map<string, string[]>();
  for (const [name, text] of [...request.parameters, ...sent]) {
    const isList = operation.query?.parameters.get(name)?.repeats === true;
    if (isList && text !== '') lists.set(name, [...(lists.get(name) ?? []), text]);
    else pairs.push([name, text]);
  }
  return [...pairs, ...[...lists].map(([name, texts]): QueryPair => [name, texts.join(',')])];
}

interface Part {
  readonly name: string;
  readonly value: JsonObject;
  /** Its FHIRPath. */
  readonly at: string;
}

interface Body {
  readonly parts: readonly Part[];
  readonly decimals?: Decimals;
}

function readBody(engine: Engine, operation: Operation, body: Buffer | undefined): Body {
  if (body === undefined || body.length === 0) return { parts: [] };
  requireLength(body, engine.maxBody, undefined);
  const { value, decimals } = parseBody(body, 'Parameters').parsed;
  const resource = isObject(value) ? value : {};
  const isParameters = resource['resourceType'] === 'Parameters';
  const known = isParameters ? withoutForeign(resource, operation.parameters, 'parameter') : value;
  const issues = checkStructure(known, engine.model, undefined, { decimals });
  if (issues.length > 0) throw new FhirError(400, issues);
  if (!isParameters) return { parts: [ofResource(operation, resource)], decimals };
  const list = Array.isArray(resource['parameter']) ? (resource['parameter'] as readonly JsonObject[]) : []; // checked
  const parts = list.map((part, at) => ({
    name: asString(part['name']) ?? '',
    value: part,
    at: `Parameters.parameter[${at}]`,
  }));
  return { parts, decimals };
}

/** Parameters, or a part, without the resources that the operation checks itself. */
function withoutForeign(of: JsonObject, parameters: Operation['parameters'], property: string): JsonObject {
  const list = of[property];
  if (!Array.isArray(list)) return of;
  const without = (list as readonly unknown[]).map(part => {
    const parameter = isObject(part) ? parameters.get(asString(part['name']) ?? '') : undefined;
    if (parameter === undefined || !isObject(part)) return part;
    if (parameter.isForeign && isObject(part['resource'])) {
      const { resource: _, ...rest } = part;
      return rest;
    }
    return parameter.parts.size === 0 ? part : withoutForeign(part, parameter.parts, 'part');
  });
  return without.every((part, at) => part === list[at]) ? of : { ...of, [property]: without };
}

/** A resource alone is the argument of the parameter of its type. */
function ofResource({ code, parameters }: Operation, resource: JsonObject): Part {
  const type = String(resource['resourceType']);
  const takes = [...parameters.values()].find(one => one.type === type);
  if (takes !== undefined) return { name: takes.name, value: { resource }, at: type };
  const text = `\`$${code}\` takes Parameters as its body, not a resource of type ${type}.`;
  throw fhirError(400, 'structure', text, 'resourceType');
}

/** The text of a search parameter. */
function textOf(part: JsonObject, at: string): string {
  const value = Object.entries(part).find(([name]) => name.startsWith('value'))?.[1];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw fhirError(400, 'value', 'A search parameter in Parameters is a `valueString`.', at);
}

function supported({ code }: Operation, parameter: OperationParameter, at: string): OperationParameter {
  if (parameter.supported) return parameter;
  const text = `The parameter \`${parameter.name}\` of \`$${code}\` is not supported here: omit it.`;
  throw fhirError(400, 'not-supported', text, at);
}

function unknownParameter({ code, parameters }: Operation, name: string, at: string): FhirError {
  const known = [...parameters.values()].filter(one => one.supported).map(one => one.name);
  const offered = known.map(one => `\`${one}\``).join(', ');
  const use = known.length === 0 ? 'It takes none.' : `Use ${offered}.`;
  const text = `\`$${code}\` has no parameter \`${shorten(name)}\`.${didYouMean(name, known)} ${use}`;
  return fhirError(400, 'not-supported', text, /^[\w.[\]-]+$/.test(at) ? at : undefined);
}

/**
 * Throws FhirError 400 for too few or too many values. `at` is the place of the last one.
 * https://hl7.org/fhir/R4/operationdefinition-definitions.html#OperationDefinition.parameter.min
 */
function requireCardinality(
  { code }: Operation,
  { name, min, max }: OperationParameter,
  count: number,
  at = `http.${name}`,
): void {
  if (count < min) throw fhirError(400, 'required', `\`$${code}\` requires the parameter \`${name}\`.`, at);
  if (count <= max) return;
  const most = max === 1 ? 'send it once' : `send it ${max} times at most`;
  throw fhirError(400, 'value', `\`${name}\` is repeated: ${most}.`, at);
}

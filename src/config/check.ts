import { createRequire } from 'node:module';
import type { Ajv as AjvClass, ErrorObject } from 'ajv';
import { isObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Schema } from './schema.ts';
import { choice } from './values.ts';

/** Keys and indexes from the top of a file to a value. */
export type SettingPlace = readonly (string | number)[];

/** A problem of a value in a file; the sentence continues after the value's name. */
export interface Problem {
  readonly place: SettingPlace;
  readonly text: string;
}

/** Parsers of texts by `format`: each throws Error with a sentence that continues after the name of the text. */
export type Formats = Readonly<Record<string, (text: string) => unknown>>;

/**
 * The problems of a file's content by its schema. Ajv is loaded here, since a start without such a file does not need
 * it: its first use takes about 100 ms and 15 MB.
 */
export function checkContent(schema: Schema, content: unknown, formats: Formats): readonly Problem[] {
  const { Ajv } = createRequire(import.meta.url)('ajv') as { Ajv: typeof AjvClass }; // its own types
  const ajv = new Ajv({ allErrors: true, verbose: true, strictTypes: false, strictRequired: false });
  ajv.addVocabulary(['defaultNote']);
  for (const [name, read] of Object.entries(formats)) ajv.addFormat(name, text => problemOf(read, text) === undefined);
  const validate = ajv.compile(schema);
  if (validate(content)) return [];
  const found = (validate.errors ?? []).flatMap(error => asProblem(error, schema, content, formats));
  return [...new Map(found.map(problem => [JSON.stringify(problem), problem])).values()];
}

/** The content, with a list of one text where the schema has a list and the file a text. */
export function withLists(schema: Schema, content: unknown): unknown {
  if (schema.type === 'array' && !Array.isArray(content)) return typeof content === 'string' ? [content] : content;
  if (Array.isArray(content)) return content.map(item => withLists(schema.items ?? {}, item));
  if (!isObject(content)) return content;
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, withLists(schema.properties?.[key] ?? {}, value)]),
  );
}

/** Problems as whole sentences, in the order of the file. */
export function printProblems(problems: readonly Problem[], file: string, content: unknown): readonly string[] {
  const order = problems.map(({ place, text }) => ({ order: orderOf(place, content), name: nameOf(place), text }));
  order.sort((a, b) => compare(a.order, b.order));
  return order.map(({ name, text }) => `\`${name}\` in ${file} ${text}`);
}

/** The error of a parser for a text; undefined if it accepts it. */
export function problemOf<T>(read: (value: T) => unknown, value: T): string | undefined {
  try {
    read(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message.endsWith('.') ? error.message : `cannot be read: ${error.message}.`;
  }
}

function asProblem(error: ErrorObject, top: Schema, content: unknown, formats: Formats): readonly Problem[] {
  if (error.schemaPath.includes('/anyOf/')) return []; // `anyOf` itself is reported
  const { keyword, data } = error;
  const params: Readonly<Record<string, unknown>> = error.params;
  const parent = error.parentSchema as Schema; // verbose: true
  const { place, schema } = placeOf(error.instancePath, top, content);
  const missing = (key: string): Problem[] => {
    return [{ place: [...place, key], text: `is missing: ${schema.properties?.[key]?.description ?? ''}.` }];
  };
  switch (keyword) {
    case 'required':
      return missing(String(params['missingProperty']));
    case 'anyOf':
      return missing(parent.anyOf?.[0]?.required[0] ?? '');
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const text = `is not a setting.${didYouMean(key, Object.keys(parent.properties ?? {}))}`;
      return [{ place: [...place, key], text }];
    }
    case 'format':
      return [{ place, text: problemOf(formats[String(params['format'])] ?? String, String(data)) ?? 'is not valid.' }];
    case 'enum':
      if (typeof data !== 'string') return [{ place, text: kindOf(schema) }];
      return [{ place, text: problemOf(choice(...(parent.enum ?? [])), data) ?? 'is not valid.' }];
    default:
      return [{ place, text: kindOf(schema) }];
  }
}

/** The place of an error; one about an item of a list of texts, or an item that is not an object, concerns the list. */
function placeOf(
  pointer: string,
  top: Schema,
  content: unknown,
): { readonly place: SettingPlace; readonly schema: Schema } {
  const place: (string | number)[] = [];
  let schema = top;
  let value = content;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      const item: unknown = value[Number(key)];
      if (!isObject(item)) return { place, schema };
      place.push(Number(key));
      [schema, value] = [schema.items ?? {}, item];
    } else {
      place.push(key);
      const { additionalProperties: other } = schema;
      schema = schema.properties?.[key] ?? (other === undefined || other === false ? {} : other);
      value = isObject(value) ? value[key] : undefined;
    }
  }
  return { place, schema };
}

/** The expected type of a value. */
function kindOf({ type, items, minimum, maximum }: Schema): string {
  if (type === 'array')
    return items?.type === 'object' ? 'must be a list of objects.' : 'must be a text or a list of texts.';
  if (type === 'number') return `must be a number from ${minimum} to ${maximum}.`;
  if (type === 'boolean') return 'must be true or false.';
  if (type === 'object') return 'must be an object.';
  if (typeof type === 'string') return 'must be a text.';
  const isScalar = type?.includes('number') ?? false;
  return isScalar ? 'must be a text, a number, true or false, or a list of texts.' : 'must be a text or an object.';
}

const nameOf = (place: SettingPlace): string =>
  place.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`)).join('');

/** The position of each step among the keys of its object; a missing key is last. */
function orderOf(place: SettingPlace, content: unknown): readonly number[] {
  let value = content;
  return place.map(step => {
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const position = keys.indexOf(String(step));
    value = position < 0 ? undefined : (value as Readonly<Record<string, unknown>>)[String(step)]; // it has that key
    return position < 0 ? Infinity : position;
  });
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((step, index) => step !== b[index]);
  if (at < 0) return a.length - b.length;
  return (a[at] ?? 0) - (b[at] ?? -1);
}

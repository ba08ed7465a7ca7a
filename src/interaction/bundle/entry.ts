import { compactJson, parseJson } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { properties } from '../../fhir/resource-text.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { LoadContext } from '../write/context.ts';
import type { ContainerType } from './container-type.ts';
import { ownCopy } from './own-copy.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/** A parsed entry of a Bundle. https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry */
export interface Entry {
  /** Its index in the Bundle, from 0. */
  readonly index: number;
  /** With the type and the id of its resource alone. */
  readonly value: JsonObject;
  readonly fullUrl: string | undefined;
  /** Its resource, which an entry of a large Bundle reads again; undefined without one. */
  readonly resource: (() => EntryResource) | undefined;
  /** Issues of the entry outside of its resource. */
  readonly issues: readonly Issue[];
}

/** The compact text of the resource of an entry, and its value. */
export interface EntryResource {
  readonly text: string;
  readonly parsed: ParsedJson;
}

/** The value of an entry, and its resource, from its compact text. */
export function resourceIn(
  text: string,
  { value: parsed, decimals }: ParsedJson,
): { readonly value: JsonObject; readonly resource: EntryResource | undefined } {
  const value = isObject(parsed) ? parsed : {};
  const found = properties(text).find(({ name }) => name === '"resource"')?.value;
  if (found === undefined) return { value, resource: undefined };
  return { value, resource: { text: found, parsed: { value: value['resource'], decimals, compact: true } } };
}

/** Parses the text of an entry. Throws JsonError if it is not strict JSON. */
export function readEntry(context: LoadContext, bundle: ContainerType, bytes: Uint8Array, index: number): Entry {
  const { value, resource } = parseEntry(bytes);
  const { resource: given, ...around } = value;
  const named = isObject(given) ? { resourceType: given['resourceType'], id: given['id'], type: given['type'] } : given;
  return {
    index,
    value: { ...around, ...(resource === undefined ? {} : { resource: named }) },
    fullUrl: asString(value['fullUrl']),
    resource: resource && (() => resource),
    issues: checkAround(context, bundle, value, index),
  };
}

/** Parses an entry of a large Bundle: only its bytes stay in memory. Throws JsonError. */
export function readLargeEntry(context: LoadContext, bundle: ContainerType, bytes: Uint8Array, index: number): Entry {
  const { issues, resource, ...entry } = readEntry(context, bundle, bytes, index);
  return { ...ownCopy(entry), issues, resource: resource && parsedAgain(bytes) };
}

/** In a function of its own: nothing but the bytes stays in memory. */
const parsedAgain = (bytes: Uint8Array) => (): EntryResource => {
  const { resource } = parseEntry(bytes);
  if (resource === undefined) throw new Error('An entry has the resource that it had');
  return resource;
};

function parseEntry(bytes: Uint8Array): ReturnType<typeof resourceIn> {
  const text = compactJson(decodeUtf8(bytes));
  return resourceIn(text, parseJson(text));
}

/** Checks an entry around its resource, as a Bundle with this one entry. */
export function checkAround(
  { model }: Pick<LoadContext, 'model'>,
  type: ContainerType,
  value: Readonly<Record<string, unknown>>,
  index: number,
): readonly Issue[] {
  const { resource: _resource, ...around } = value;
  if (Object.keys(around).length === 0) return [];
  const bundle = { resourceType: 'Bundle', type, entry: [around] };
  return checkStructure(bundle, model).map(issue => movedTo(issue, 'Bundle.entry[0]', entryPath(index)));
}

/** Issues of the resource of an entry, with their places in the Bundle. */
export function issuesOfEntry(issues: readonly Issue[], entry: Entry): readonly Issue[] {
  const { resource } = entry.value;
  const root = (isObject(resource) ? asString(resource['resourceType']) : undefined) ?? 'Resource';
  return issues.map(issue => movedTo(issue, root, `${entryPath(entry.index)}.resource`));
}

/** An issue of an entry. */
export function entryIssue(index: number, element: string, text: string, code: Issue['code'] = 'structure'): Issue {
  return { severity: 'error', code, text, expression: `${entryPath(index)}.${element}` };
}

/** The place of an entry. */
export const entryPath = (index: number): string => `Bundle.entry[${index}]`;

function movedTo(issue: Issue, from: string, to: string): Issue {
  const { expression } = issue;
  if (expression !== from && expression?.startsWith(`${from}.`) !== true) return issue;
  return { ...issue, expression: to + expression.slice(from.length) };
}

import { cutBody } from '../../attachment/cut.ts';
import type { FhirError } from '../../fhir/error.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { compactJson, parseJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { properties } from '../../fhir/resource-text.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import type { Model } from '../../model/model.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { ParsedText } from '../interaction.ts';
import { pathOf } from '../write/body.ts';
import { containerType } from './head.ts';
import type { ContainerType } from './head.ts';

/** An entry of a Bundle. https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry */
export interface BundleEntry {
  /** From 0. */
  readonly index: number;
  /** The entry around its resource: `fullUrl`, `request` and the rest. */
  readonly value: JsonObject;
  /** What its resource names; undefined without a resource. */
  readonly named: NamedResource | undefined;
  /** The base64 of the attachments, as in JSON. */
  readonly contents: readonly Buffer[];
  /**
   * Its resource, with a short base64 in the place of each attachment; undefined without one. Entries of large Bundles
   * are read again at each call, so that their resources are not all in memory.
   */
  resource(): ParsedText | undefined;
  /** Why it was not read. */
  readonly failure?: FhirError;
}

/** What a resource says of itself. */
export interface NamedResource {
  readonly type: string | undefined;
  readonly id: string | undefined;
  /** Its type, if it is a Bundle that contains records. */
  readonly container: ContainerType | undefined;
}

/** An entry as bytes without the attachments of its resource, which are beside them. */
export interface CutEntry {
  readonly rest: Buffer;
  readonly contents: readonly Buffer[];
}

/** Cuts the attachments out of the bytes of an entry. Throws FhirError 413 for too many. */
export function cutEntry({ types }: Pick<Model, 'types'>, bytes: Uint8Array): CutEntry {
  const member = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [name] = findStrings(member, ['resource', 'resourceType'], 1);
  const type = name === undefined ? undefined : types.get(member.toString('latin1', name.from, name.to));
  if (type?.attachment === undefined) return { rest: member, contents: [] };
  const { rest, spans } = cutBody(member, ['resource', ...pathOf(type.attachment)]);
  return { rest, contents: spans.map(({ from, to }) => member.subarray(from, to)) };
}

/** Parses an entry; with `keeps`, its value stays in memory, else only its bytes do. Throws JsonError. */
export function readEntry({ rest, contents }: CutEntry, index: number, keeps: boolean): BundleEntry {
  const { value, resource } = parseEntry(rest);
  const { resource: given, ...around } = value;
  const { resourceType, id } = isObject(given) ? given : {};
  const named = resource && { type: asString(resourceType), id: asString(id), container: containerType(given) };
  if (keeps) return { value: around, named, index, contents, resource: () => resource };
  return { ...ownCopy({ value: around, named }), index, contents, resource: parsedAgain(rest) };
}

/** In a function of its own: nothing but the bytes stays in memory. */
const parsedAgain = (rest: Buffer) => (): ParsedText | undefined => parseEntry(rest).resource;

/** The value of an entry, and the text of its resource. */
function parseEntry(rest: Buffer): { readonly value: JsonObject; readonly resource: ParsedText | undefined } {
  const given = decodeUtf8(rest);
  const { value: parsed, decimals, compact } = parseJson(given);
  const value = isObject(parsed) ? parsed : {};
  const text = properties(compact ? given : compactJson(given)).find(({ name }) => name === '"resource"')?.value;
  if (text === undefined) return { value, resource: undefined };
  return { value, resource: { text, parsed: { value: value['resource'], decimals, compact: true } } };
}

/** The bytes of the resource of an entry, with its attachments; `text` is its own, or one with other links. */
export function bodyWithContents(
  { types }: Pick<Model, 'types'>,
  { named, contents }: BundleEntry,
  text: string,
): Buffer {
  const bytes = Buffer.from(text);
  if (contents.length === 0) return bytes;
  const parts: Buffer[] = [];
  let from = 0;
  const path = pathOf(types.get(named?.type ?? '')?.attachment);
  for (const [at, span] of findStrings(bytes, path, contents.length).entries()) {
    parts.push(bytes.subarray(from, span.from), contents[at] ?? Buffer.alloc(0));
    from = span.to;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/** Checks an entry around its resource, as a Bundle of a type with this one entry. */
export function checkAround(model: Model, type: ContainerType, { value, index }: BundleEntry): readonly Issue[] {
  if (Object.keys(value).length === 0) return [];
  const bundle = { resourceType: 'Bundle', type, entry: [value] };
  return checkStructure(bundle, model).map(issue => movedTo(issue, 'Bundle.entry[0]', entryPath(index)));
}

/** Issues of the resource of an entry, with their places in the Bundle. */
export const issuesOfEntry = (issues: readonly Issue[], { index, named }: BundleEntry): readonly Issue[] =>
  issues.map(issue => movedTo(issue, named?.type ?? 'Resource', `${entryPath(index)}.resource`));

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

/** Bytes of a Bundle up to which the values of its entries stay in memory, so that they are not parsed twice. */
export const mostKept = 2 * 1024 * 1024;

/**
 * Copies what is kept of a large Bundle while the rest is read: a string that was cut out of a longer one would keep
 * this in memory.
 */
const ownCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Copies the text of a record in two parts, as `ownCopy` does with a value. */
export const ownParts = ({ before, after }: TextParts): TextParts => ({
  before: ownText(before),
  after: ownText(after),
});

interface TextParts {
  readonly before: string;
  readonly after: string;
}

const ownText = (text: string): string => Buffer.from(text).toString();

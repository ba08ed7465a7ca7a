import { createHash } from 'node:crypto';
import { asString, isObject } from '../../fhir/json-object.ts';
import { parseReference } from '../../fhir/reference.ts';
import { shorten } from '../report.ts';
import { checkCoding, checkUnit } from './coding.ts';
import { resolve } from './resolve.ts';
import type { ValueCheck, Walk } from './walk.ts';
import { readTag } from '../../fhir/xml/xhtml-tag.ts';

/**
 * Rules in the text of R4 for its data types that are not in their definitions, by type. The reference validator checks
 * the same. https://hl7.org/fhir/R4/datatypes.html
 */
export const datatypeRules: ReadonlyMap<string, readonly ValueCheck[]> = new Map<string, readonly ValueCheck[]>([
  ['Coding', [checkSystem, checkCoding]],
  ...['Quantity', 'Age', 'Count', 'Distance', 'Duration'].map(name => [name, [checkUnit]] as const),
  ['Identifier', [checkSystem]],
  ['Reference', [checkReference]],
  ['Attachment', [checkSize, checkHash]],
  ['uri', [checkUrn]],
  ['canonical', [checkCanonical]],
  ['xhtml', [checkImages]],
]);

/** An error in an element of the value. */
function report({ findings }: Walk, element: string, rule: string, text: string): void {
  findings.path.push(element);
  findings.add({ severity: 'error', code: 'value', text, rule });
  findings.path.pop();
}

/** A system must be an absolute URI. https://hl7.org/fhir/R4/datatypes-definitions.html#Coding.system */
function checkSystem({ value, code }: Parameters<ValueCheck>[0], walk: Walk): void {
  const system = isObject(value) ? asString(value['system']) : undefined;
  if (system === undefined || hasScheme(system)) return;
  const text = `The system \`${shorten(system)}\` must be an absolute URI, such as \`https://…\` or \`urn:oid:…\`.`;
  report(walk, 'system', `${code}.system`, text);
}

/**
 * A literal reference is `Type/id`, a URL, or `#id`, and agrees with the `type` beside it. In a Bundle it may be a
 * search. https://hl7.org/fhir/R4/references.html#literal
 */
function checkReference({ value }: Parameters<ValueCheck>[0], walk: Walk): void {
  const reference = isObject(value) ? asString(value['reference']) : undefined;
  if (!isObject(value) || reference === undefined) return;
  const { resourceTypes } = walk.rulebook.types;
  const parsed = parseReference(reference);
  const named = parsed?.kind === 'relative' || parsed?.kind === 'absolute' ? parsed.type : undefined;
  const search = walk.context.bundle !== undefined && reference.includes('?');
  if (
    !reference.startsWith('#') &&
    !hasScheme(reference) &&
    !search &&
    (named === undefined || !resourceTypes.has(named))
  ) {
    const text =
      `\`${shorten(reference)}\` is not a reference: write \`Type/id\` with a type of R4, an absolute URL, ` +
      `or \`#id\`.`;
    report(walk, 'reference', 'Reference.reference', text);
    return;
  }
  const said = asString(value['type']);
  if (said === undefined || !resourceTypes.has(said)) return;
  const type = resolve(reference, walk)?.code ?? named;
  if (type === undefined || type === said || !resourceTypes.has(type)) return;
  const text = `The type is \`${said}\`, but \`${shorten(reference)}\` is a \`${type}\`; the two must agree.`;
  report(walk, 'type', 'Reference.type', text);
}

/** The size must be that of the inline data. https://hl7.org/fhir/R4/datatypes-definitions.html#Attachment.size */
function checkSize({ value }: Parameters<ValueCheck>[0], walk: Walk): void {
  const [data, size] = isObject(value) ? [value['data'], value['size']] : [];
  if (typeof data !== 'string' || typeof size !== 'number') return;
  const actual = Buffer.byteLength(data.replace(/\s+/g, ''), 'base64');
  if (actual !== size) report(walk, 'size', 'Attachment.size', `The data has ${actual} bytes, not ${size}.`);
}

/** The hash must be the SHA-1 of the inline data. https://hl7.org/fhir/R4/datatypes-definitions.html#Attachment.hash */
function checkHash({ value }: Parameters<ValueCheck>[0], walk: Walk): void {
  const [data, hash] = isObject(value) ? [value['data'], value['hash']] : [];
  if (typeof data !== 'string' || typeof hash !== 'string') return;
  const actual = createHash('sha1').update(Buffer.from(data, 'base64')).digest('base64');
  if (actual !== hash.replace(/\s+/g, ''))
    report(walk, 'hash', 'Attachment.hash', `The SHA-1 of the data is \`${actual}\`, not \`${shorten(hash)}\`.`);
}

/** A canonical is absolute, or `#id`. https://hl7.org/fhir/R4/references.html#canonical */
function checkCanonical({ value }: Parameters<ValueCheck>[0], { findings }: Walk): void {
  if (typeof value !== 'string' || value.startsWith('#') || hasScheme(value)) return;
  const text =
    `The canonical \`${shorten(value)}\` is relative, so it names no definition; write its whole URL, or \`#id\` for ` +
    'a contained one.';
  findings.add({ severity: 'warning', code: 'value', text, rule: 'canonical' });
}

/**
 * An image of a narrative whose `src` is `#id` names an element or a contained resource with that id.
 * https://hl7.org/fhir/R4/narrative.html#id
 */
function checkImages({ value }: Parameters<ValueCheck>[0], walk: Walk): void {
  if (typeof value !== 'string') return;
  let ids: ReadonlySet<string> | undefined;
  for (let at = value.indexOf('<img'); at !== -1; at = value.indexOf('<img', at + 4)) {
    const tag = readTag(value, at);
    const [, source = ''] = (typeof tag === 'string' ? [] : tag.attributes).find(([name]) => name === 'src') ?? [];
    if (!source.startsWith('#')) continue;
    ids ??= idsIn(walk.context.root.value, value, walk);
    walk.budget.spend(1);
    if (ids.has(source.slice(1))) continue;
    const text = `The image \`${shorten(source)}\` of the narrative names no id in the resource.`;
    walk.findings.add({ severity: 'warning', code: 'value', text, rule: `image ${source.slice(0, 70)}` });
  }
}

/** The ids of a resource, its elements and its contained resources, and those in a narrative. */
function idsIn(resource: unknown, div: string, { budget }: Walk): ReadonlySet<string> {
  const found = new Set([...div.matchAll(/\bid=["']([^"'<>]{1,200})["']/g)].map(([, id = '']) => id));
  const visit = (value: unknown): void => {
    budget.spend(1);
    if (typeof value !== 'object' || value === null) return;
    if (isObject(value) && typeof value['id'] === 'string') found.add(value['id']);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(resource);
  return found;
}

/** UUIDs and OIDs have one form each. https://hl7.org/fhir/R4/datatypes.html#uri */
function checkUrn({ value }: Parameters<ValueCheck>[0], { findings }: Walk): void {
  if (typeof value !== 'string' || !value.startsWith('urn:') || value.length > 1_000) return;
  const wrong =
    (value.startsWith('urn:uuid:') && !/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) ||
    (value.startsWith('urn:oid:') && !/^urn:oid:[0-2](\.(0|[1-9][0-9]*))+$/.test(value));
  if (!wrong) return;
  const form = value.startsWith('urn:oid:')
    ? 'numbers separated by dots'
    : '32 lower-case hexadecimal digits, `8-4-4-4-12`';
  const text = `\`${shorten(value)}\` is not well-formed; after the second colon write ${form}.`;
  findings.add({ severity: 'error', code: 'value', text, rule: 'urn' });
}

const hasScheme = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]{0,30}:/.test(text);

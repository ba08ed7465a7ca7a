import { asString, isObject } from '../../fhir/json-object.ts';
import { parseReference } from '../../fhir/reference.ts';
import { shorten } from '../report.ts';
import { checkCoding, checkUnit } from './coding.ts';
import { resolve } from './resolve.ts';
import type { ValueCheck, Walk } from './walk.ts';

/**
 * Rules in the text of R4 for its data types that are not in their definitions, by type. The reference validator checks
 * the same. https://hl7.org/fhir/R4/datatypes.html
 */
export const datatypeRules: ReadonlyMap<string, readonly ValueCheck[]> = new Map<string, readonly ValueCheck[]>([
  ['Coding', [checkSystem, checkCoding]],
  ...['Quantity', 'Age', 'Count', 'Distance', 'Duration'].map(name => [name, [checkUnit]] as const),
  ['Identifier', [checkSystem]],
  ['Reference', [checkReference]],
  ['Attachment', [checkSize]],
  ['uri', [checkUrn]],
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
  const { resourceTypes } = walk.kit.types;
  const parsed = parseReference(reference);
  const named = parsed?.kind === 'relative' || parsed?.kind === 'absolute' ? parsed.type : undefined;
  const search = walk.frame.bundle !== undefined && reference.includes('?');
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

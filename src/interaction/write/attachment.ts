import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isObject } from '../../definitions/json-object.ts';
import type { JsonObject } from '../../definitions/json-object.ts';
import { Base64Error, Base64InPlace } from '../../fhir/base64.ts';
import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import type { Span } from '../../fhir/find-strings.ts';
import type { Issue, IssueCode } from '../../fhir/outcome.ts';
import type { Attachment } from '../../model/model.ts';
import { shorten } from '../../validation/report.ts';

/** Where an attachment stands in a parsed resource. */
export interface AttachmentPlace {
  /** The object that has it. */
  readonly owner: JsonObject;
  /** FHIRPath of that object: `Media.content`. */
  readonly expression: string;
}

/** Bytes that came with a resource. */
export interface Content extends AttachmentPlace {
  readonly bytes: Uint8Array;
}

/** Text that is decoded before the event loop gets a turn: less than two milliseconds of work. */
const slice = 1024 * 1024;

/** The objects of a parsed resource that have a property at the path, arrays looked through, in the order of the text. */
export function attachmentPlaces(resource: unknown, { path }: Attachment): readonly AttachmentPlace[] {
  const [root = '', ...names] = path.split('.');
  const last = names.pop() ?? '';
  let places: { value: unknown; expression: string }[] = [{ value: resource, expression: root }];
  for (const name of names) {
    places = places.flatMap(({ value, expression }) => {
      const next = isObject(value) ? value[name] : undefined;
      if (!Array.isArray(next)) return [{ value: next, expression: `${expression}.${name}` }];
      return next.map((item: unknown, index) => ({ value: item, expression: `${expression}.${name}[${index}]` }));
    });
  }
  return places.flatMap(({ value, expression }) =>
    isObject(value) && (value[last] !== undefined || value[`_${last}`] !== undefined)
      ? [{ owner: value, expression }]
      : [],
  );
}

/**
 * Decodes base64 where it stands in the body and holds it against what its object says of it, and against the definition.
 * What is wrong goes to `structure` or `rules`. Throws FhirError 413 where it is larger than the definition allows.
 */
export async function readContent(
  body: Buffer,
  span: Span,
  place: AttachmentPlace,
  attachment: Attachment,
  report: { readonly structure: Issue[]; readonly rules: Issue[] },
): Promise<Content | undefined> {
  const { owner, expression } = place;
  const at = `${expression}.${nameOf(attachment)}`;
  const decoder = new Base64InPlace(body, span.from, span.to);
  const sha1 = typeof owner['hash'] === 'string' ? createHash('sha1') : undefined;
  try {
    let hashed = 0;
    for (let done = false; !done;) {
      done = decoder.step(slice);
      const { decoded } = decoder;
      if (decoded.length > attachment.maxBytes) throw tooLarge(attachment, at);
      sha1?.update(decoded.subarray(hashed));
      hashed = decoded.length;
      if (!done) await setImmediate();
    }
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    report.structure.push(issue('value', `${error.message}, at character ${error.at + 1} of the text.`, at));
    return undefined;
  }
  const bytes = decoder.decoded;
  if (bytes.length === 0) {
    report.structure.push(issue('value', `\`${nameOf(attachment)}\` is empty: there is nothing to keep.`, at));
    return undefined;
  }
  report.rules.push(...differences(owner, bytes, sha1?.digest('base64'), expression));
  report.rules.push(...checkSignature(owner, bytes, attachment, at));
  return { ...place, bytes };
}

/** What is wrong with the object of an attachment whether or not its bytes are there. https://hl7.org/fhir/R4/datatypes.html#attachment */
export function checkAttached({ owner, expression }: AttachmentPlace, attachment: Attachment): readonly Issue[] {
  const name = nameOf(attachment);
  const found: Issue[] = [];
  if (owner[`_${name}`] !== undefined) {
    const text = `\`_${name}\` is not taken: the content is kept apart from the record, with nothing beside it.`;
    found.push(issue('business-rule', text, `${expression}.${name}`));
  }
  const { contentType } = owner;
  const at = `${expression}.contentType`;
  if (contentType === undefined) {
    found.push(issue('required', `\`contentType\` must say what \`${name}\` is.`, at));
  } else if (typeof contentType === 'string' && typesOf(contentType, attachment).length === 0) {
    const allowed = attachment.contentTypes.map(({ type }) => type);
    const kinds = new Set(allowed.map(kindOf));
    const refusal = attachment.refusal === undefined || kinds.has(kindOf(contentType)) ? '' : ` ${attachment.refusal}`;
    const text = `\`${shorten(contentType)}\` is not taken here; taken are ${allowed.join(', ')}.${refusal}`;
    found.push(issue('business-rule', text, at));
  }
  return found;
}

/** `size` and `hash` where they were sent. */
function differences(owner: JsonObject, bytes: Uint8Array, sha1: string | undefined, expression: string): Issue[] {
  const found: Issue[] = [];
  const { size, hash } = owner;
  if (typeof size === 'number' && size !== bytes.length) {
    const text = `\`size\` says ${size} bytes, but ${bytes.length} were sent.`;
    found.push(issue('value', text, `${expression}.size`));
  }
  if (typeof hash === 'string' && sha1 !== undefined && hash.replaceAll(/\s/g, '') !== sha1) {
    const text = `\`hash\` is not the SHA-1 of the bytes that were sent, which is \`${sha1}\`.`;
    found.push(issue('value', text, `${expression}.hash`));
  }
  return found;
}

/** The first bytes, where the definition names them for the content type. */
function checkSignature(owner: JsonObject, bytes: Uint8Array, attachment: Attachment, at: string): Issue[] {
  const { contentType } = owner;
  if (typeof contentType !== 'string') return [];
  const types = typesOf(contentType, attachment);
  if (types.length === 0 || types.some(({ signature = '' }) => hasSignature(bytes, signature))) return [];
  const text = `The content does not begin as \`${shorten(contentType)}\` does: send what it is, or say what it is.`;
  return [issue('business-rule', text, at)];
}

/** `signature` is lower case hex, `..` for any byte. */
function hasSignature(bytes: Uint8Array, signature: string): boolean {
  if (bytes.length * 2 < signature.length) return false;
  for (let at = 0; at < signature.length; at += 2) {
    const wanted = signature.slice(at, at + 2);
    if (wanted !== '..' && Number.parseInt(wanted, 16) !== bytes[at / 2]) return false;
  }
  return true;
}

/** What the definition lists for a content type, whose parameters and case do not count. https://www.rfc-editor.org/rfc/rfc2045#section-5.1 */
function typesOf(contentType: string, { contentTypes }: Attachment): Attachment['contentTypes'] {
  const plain = plainType(contentType);
  return contentTypes.filter(({ type }) => type.toLowerCase() === plain);
}

const plainType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();
const kindOf = (contentType: string): string => plainType(contentType).split('/')[0] ?? '';
const nameOf = ({ path }: Attachment): string => path.slice(path.lastIndexOf('.') + 1);

const issue = (code: IssueCode, text: string, expression: string): Issue => ({
  severity: 'error',
  code,
  text,
  expression,
});

const tooLarge = ({ maxBytes }: Attachment, expression: string): FhirError =>
  fhirError(413, 'too-long', `The content is larger than the ${maxBytes} bytes that are taken.`, expression);

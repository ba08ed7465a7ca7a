import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { Base64Error, Base64InPlace } from '../fhir/base64.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { Span } from '../fhir/find-strings.ts';
import type { Issue, IssueCode } from '../fhir/outcome.ts';
import type { Attachment } from '../model/model.ts';
import { shorten } from '../validation/report.ts';

/** The position of an attachment in a parsed resource. */
export interface AttachmentPlace {
  /** The object that contains it. */
  readonly owner: JsonObject;
  /** FHIRPath of that object: `Media.content`. */
  readonly expression: string;
}

/** The bytes of a client's attachment. */
export interface Content extends AttachmentPlace {
  /** Element path, as in the definition of the type. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Receives issues: structural ones, or those of business rules. */
export interface ContentReport {
  readonly structure: Issue[];
  readonly rules: Issue[];
}

/** Characters that are decoded before the event loop gets a turn: less than two milliseconds of work. */
const decodeSlice = 1024 * 1024;

/** The objects of a parsed resource that have a property at the path, through arrays, in the order of the text. */
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
 * Decodes the base64 that was cut out of a body (cut.ts), and checks each against its object and the definition.
 * `places` are those of the resource with a placeholder for each. Throws FhirError 413 for one over the maximum of the
 * definition.
 */
export async function readContents(
  body: Buffer,
  spans: readonly Span[],
  places: readonly AttachmentPlace[],
  attachment: Attachment,
  report: ContentReport,
): Promise<readonly Content[]> {
  // A place without a string has another type, which the structure check rejects.
  const holding = places.filter(place => holdsText(place, attachment));
  const contents: Content[] = [];
  for (const [index, span] of spans.entries()) {
    const place = holding[index];
    if (place === undefined) continue;
    const content = await readContent(body, span, place, attachment, report);
    if (content !== undefined) contents.push(content);
  }
  if (report.structure.length === 0 && contents.length !== spans.length) {
    throw new Error('Content was cut out and not read');
  }
  return contents;
}

/** Whether the place has a text, base64 or not. */
export function holdsText({ owner }: AttachmentPlace, attachment: Attachment): boolean {
  return typeof owner[nameOf(attachment)] === 'string';
}

async function readContent(
  body: Buffer,
  span: Span,
  place: AttachmentPlace,
  attachment: Attachment,
  report: ContentReport,
): Promise<Content | undefined> {
  const { owner, expression } = place;
  const at = `${expression}.${nameOf(attachment)}`;
  const decoder = new Base64InPlace(body, span.from, span.to);
  const sha1 = typeof owner['hash'] === 'string' ? createHash('sha1') : undefined;
  try {
    let hashed = 0;
    for (let done = false; !done;) {
      done = decoder.step(decodeSlice);
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
    report.structure.push(issue('value', `\`${nameOf(attachment)}\` is empty: send the content.`, at));
    return undefined;
  }
  report.rules.push(...differences(owner, bytes, sha1?.digest('base64'), expression));
  report.rules.push(...checkSignature(owner, bytes, attachment, at));
  return { ...place, path: attachment.path, bytes };
}

/**
 * Issues of the object of an attachment, whether or not its bytes are present.
 * https://hl7.org/fhir/R4/datatypes.html#attachment
 */
export function checkAttached({ owner, expression }: AttachmentPlace, attachment: Attachment): readonly Issue[] {
  const name = nameOf(attachment);
  const found: Issue[] = [];
  if (owner[`_${name}`] !== undefined) {
    const text = `\`_${name}\` is not accepted: the content is stored outside of the record, without extensions.`;
    found.push(issue('business-rule', text, `${expression}.${name}`));
  }
  const { contentType } = owner;
  const at = `${expression}.contentType`;
  if (contentType === undefined) {
    found.push(issue('required', `\`contentType\` must have the type of \`${name}\`.`, at));
  } else if (typeof contentType === 'string' && typesOf(contentType, attachment).length === 0) {
    const allowed = attachment.contentTypes.map(({ type }) => type);
    const kinds = new Set(allowed.map(kindOf));
    const refusal = attachment.refusal === undefined || kinds.has(kindOf(contentType)) ? '' : ` ${attachment.refusal}`;
    const text = `\`${shorten(contentType)}\` is not accepted; accepted are ${allowed.join(', ')}.${refusal}`;
    found.push(issue('business-rule', text, at));
  }
  return found;
}

/** `size` and `hash`, if they were sent. */
function differences(owner: JsonObject, bytes: Uint8Array, sha1: string | undefined, expression: string): Issue[] {
  const found: Issue[] = [];
  const { size, hash } = owner;
  if (typeof size === 'number' && size !== bytes.length) {
    const text = `\`size\` is ${size}, but the content has ${bytes.length} bytes.`;
    found.push(issue('value', text, `${expression}.size`));
  }
  if (typeof hash === 'string' && sha1 !== undefined && hash.replaceAll(/\s/g, '') !== sha1) {
    const text = `\`hash\` is not the SHA-1 of the content, which is \`${sha1}\`.`;
    found.push(issue('value', text, `${expression}.hash`));
  }
  return found;
}

/** The first bytes, if the definition names them for the content type. */
function checkSignature(owner: JsonObject, bytes: Uint8Array, attachment: Attachment, at: string): Issue[] {
  const { contentType } = owner;
  if (typeof contentType !== 'string') return [];
  const types = typesOf(contentType, attachment);
  if (types.length === 0 || types.some(({ signature = '' }) => hasSignature(bytes, signature))) return [];
  const text = `The content does not begin as \`${shorten(contentType)}\` does: correct the content or its type.`;
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

/**
 * The entries of the definition for a content type, ignoring parameters and case.
 * https://www.rfc-editor.org/rfc/rfc2045#section-5.1
 */
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
  fhirError(413, 'too-long', `The content exceeds the size limit of ${maxBytes} bytes.`, expression);

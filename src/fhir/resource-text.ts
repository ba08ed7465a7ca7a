import { compactJson } from './json-layout.ts';
import { stringEnd, unquote, valueEnd } from './text-cursor.ts';

/**
 * Splits the text of a resource around its version stamp: `before + stamp(…) + after` is stored. White space outside of
 * strings is removed; resourceType, id (the given one) and meta come first, in this order; the sender's versionId and
 * lastUpdated are removed, since the server sets them. `after` begins with `,` or `}`. Takes the text of an object that
 * parseJson has accepted; throws Error if it has no resourceType or its meta is not an object.
 * https://hl7.org/fhir/R4/resource.html#Meta
 */
export function splitForStamp(text: string, id: string): { before: string; after: string } {
  let resourceType = '';
  let meta = '';
  let rest = '';
  for (const property of properties(compactJson(text))) {
    if (property.name === '"resourceType"') resourceType = property.value;
    else if (property.name === '"meta"') meta = property.value;
    else if (property.name !== '"id"') rest += `,${property.name}:${property.value}`;
  }
  if (resourceType === '') throw new Error('The resource has no resourceType');
  return {
    before: `{"resourceType":${resourceType},"id":${JSON.stringify(id)},"meta":{`,
    after: `${meta === '' ? '' : metaWithoutStamp(meta)}}${rest}}`,
  };
}

/** The two properties of meta that the server sets: `"versionId":"3","lastUpdated":"2026-01-02T03:04:05.006Z"`. */
export function stamp(version: number, lastUpdated: number): string {
  return `"versionId":"${version}","lastUpdated":"${printInstant(lastUpdated)}"`;
}

/** Milliseconds since 1970 UTC as an instant. https://hl7.org/fhir/R4/datatypes.html#instant */
export function printInstant(ms: number): string {
  const rest = ms % 1000;
  if (!(rest >= 0) || !Number.isInteger(rest)) return new Date(ms).toISOString();
  if (ms - rest !== second.ms) second = { ms: ms - rest, text: new Date(ms - rest).toISOString().slice(0, -4) };
  return `${second.text}${String(rest).padStart(3, '0')}Z`;
}

/** The second of the last printed instant, which others share: the text until its milliseconds. */
let second = { ms: NaN, text: '' };

function metaWithoutStamp(meta: string): string {
  let kept = '';
  for (const property of properties(meta)) {
    if (!stampNames.has(property.name)) kept += `,${property.name}:${property.value}`;
  }
  return kept;
}

const stampNames: ReadonlySet<string> = new Set(['"versionId"', '"_versionId"', '"lastUpdated"', '"_lastUpdated"']);

/** One property of an object text. */
export interface PropertyText {
  /** With its quotes. */
  readonly name: string;
  readonly value: string;
}

/** The properties of a compact object text, in order. Throws Error if it is no object, or ends early. */
export function properties(text: string): readonly PropertyText[] {
  if (text.charCodeAt(0) !== 0x7b) throw new Error('An object was expected');
  const found: PropertyText[] = [];
  let at = 1;
  while (text.charCodeAt(at) === 0x22) {
    const colon = stringEnd(text, at);
    const next = valueEnd(text, colon + 1);
    found.push({ name: plainName(text.slice(at, colon)), value: text.slice(colon + 1, next) });
    at = next + 1;
  }
  return found;
}

/** A name may have escapes: `"\u0069d"` is `id` too. */
const plainName = (quoted: string): string => (quoted.includes('\\') ? JSON.stringify(unquote(quoted)) : quoted);

/** The items of a compact array text, in order. Throws Error if it ends early. */
export function items(text: string): readonly string[] {
  const found: string[] = [];
  let at = 1;
  while (at < text.length - 1) {
    const end = valueEnd(text, at);
    found.push(text.slice(at, end));
    at = end + 1;
  }
  return found;
}

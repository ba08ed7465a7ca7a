import { isId } from './reference.ts';
import { isDate, isDateTime, isInstant, isTime } from './primitive-time.ts';

// Hand-written scanners: each visits each character once, whatever a client sends.

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/**
 * A value of type `uri`, `url` or `canonical`: not empty, no white space. https://hl7.org/fhir/R4/datatypes.html#uri
 */
function isWithoutSpace(value: string): boolean {
  for (let at = 0; at < value.length; at++) if (isSpace(value.charCodeAt(at))) return false;
  return value !== '';
}

/** A value of type `code`: `[^\s]+(\s[^\s]+)*`. https://hl7.org/fhir/R4/datatypes.html#code */
function isCode(value: string): boolean {
  let space = true;
  for (let at = 0; at < value.length; at++) {
    const here = isSpace(value.charCodeAt(at));
    if (here && space) return false;
    space = here;
  }
  return !space;
}

/** A value of type `oid`: `urn:oid:[0-2](\.(0|[1-9][0-9]*))+`. https://hl7.org/fhir/R4/datatypes.html#oid */
function isOid(value: string): boolean {
  if (!value.startsWith('urn:oid:')) return false;
  let at = 8;
  const first = value.charCodeAt(at++);
  if (!(first >= 0x30 && first <= 0x32) || at === value.length) return false;
  while (at < value.length) {
    if (value.charCodeAt(at++) !== 0x2e) return false;
    const start = at;
    while (at < value.length && isDigit(value.charCodeAt(at))) at++;
    if (at === start || (at > start + 1 && value.charCodeAt(start) === 0x30)) return false;
  }
  return true;
}

/** A value of type `uuid`, in lower case. https://hl7.org/fhir/R4/datatypes.html#uuid */
function isUuid(value: string): boolean {
  if (value.length !== 45 || !value.startsWith('urn:uuid:')) return false;
  for (let at = 9; at < 45; at++) {
    const code = value.charCodeAt(at);
    const dash = at === 17 || at === 22 || at === 27 || at === 32;
    if (dash ? code !== 0x2d : !(isDigit(code) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return true;
}

const base64 = 1;
const pad = 2;
const space = 3;
/** The kind of each byte in base64; 0 for any other. */
const base64Kinds = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.includes(character)) return base64;
  if (character === '=') return pad;
  return isSpace(code) ? space : 0;
});

/**
 * A value of type `base64Binary`: groups of four characters, white space allowed between any of them, padding at the
 * end only. https://hl7.org/fhir/R4/datatypes.html#base64Binary
 */
export function isBase64(value: string): boolean {
  let count = 0;
  let padding = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const kind = code < 256 ? base64Kinds[code] : 0;
    if (kind === base64 && padding === 0) count++;
    else if (kind === pad && padding < 2) padding++;
    else if (kind !== space) return false;
  }
  return count > 0 && (count + padding) % 4 === 0;
}

/** The JSON form of a primitive type, and the test of its values. https://hl7.org/fhir/R4/datatypes.html#primitive */
export type Primitive = StringPrimitive | NumberPrimitive | BooleanPrimitive;

interface StringPrimitive {
  readonly json: 'string';
  readonly is: (value: string) => boolean;
  /** The expected form, as a continuation of "must be". */
  readonly wanted: string;
}

interface NumberPrimitive {
  readonly json: 'number';
  readonly is: (value: number) => boolean;
  /** True if the text must be an integer: `1.0` and `1e2` are not. */
  readonly integer: boolean;
  readonly wanted: string;
}

interface BooleanPrimitive {
  readonly json: 'boolean';
  readonly wanted: string;
}

/** Longest string, in characters. https://hl7.org/fhir/R4/datatypes.html#string */
const maxLength = 1024 * 1024;
const isText = (value: string): boolean => value !== '' && value.length <= maxLength;

const text: StringPrimitive = { json: 'string', is: isText, wanted: 'a string of 1 to 1,048,576 characters' };
const uri: StringPrimitive = { json: 'string', is: isWithoutSpace, wanted: 'a URI without white space' };

const integer = (low: number, high: number): NumberPrimitive => ({
  json: 'number',
  is: value => Number.isInteger(value) && value >= low && value <= high,
  integer: true,
  wanted: `an integer from ${low} to ${high}`,
});

/** Every primitive type of R4. https://hl7.org/fhir/R4/datatypes.html#primitive */
export const primitives: ReadonlyMap<string, Primitive> = new Map<string, Primitive>([
  ['boolean', { json: 'boolean', wanted: '`true` or `false`' }],
  ['integer', integer(-2147483648, 2147483647)],
  ['unsignedInt', integer(0, 2147483647)],
  ['positiveInt', integer(1, 2147483647)],
  ['decimal', { json: 'number', is: Number.isFinite, integer: false, wanted: 'a decimal number' }],
  ['string', text],
  ['markdown', text],
  ['xhtml', { json: 'string', is: value => value !== '', wanted: 'an XHTML fragment' }],
  [
    'code',
    {
      json: 'string',
      is: isCode,
      wanted: 'a code: words separated by single spaces, without leading and trailing ones',
    },
  ],
  ['id', { json: 'string', is: isId, wanted: 'an id: 1 to 64 of the characters A-Z, a-z, 0-9, `-` and `.`' }],
  ['uri', uri],
  ['url', uri],
  ['canonical', uri],
  ['oid', { json: 'string', is: isOid, wanted: 'an OID such as `urn:oid:1.2.3`' }],
  [
    'uuid',
    {
      json: 'string',
      is: isUuid,
      wanted: 'a UUID in lower case such as `urn:uuid:c757873d-ec9a-4326-a141-556f43239520`',
    },
  ],
  [
    'base64Binary',
    { json: 'string', is: isBase64, wanted: 'base64: groups of four characters, with `=` at the end only' },
  ],
  ['date', { json: 'string', is: isDate, wanted: 'a date that exists, such as `2024`, `2024-05` or `2024-05-17`' }],
  [
    'dateTime',
    {
      json: 'string',
      is: isDateTime,
      wanted: 'a date that exists, or one with seconds and a zone such as `2024-05-17T08:30:00-04:00`',
    },
  ],
  [
    'instant',
    {
      json: 'string',
      is: isInstant,
      wanted: 'an instant with seconds and a zone, such as `2024-05-17T08:30:00.5-04:00`',
    },
  ],
  ['time', { json: 'string', is: isTime, wanted: 'a time of day with seconds, such as `08:30:00`' }],
]);

import { isId } from './reference.ts';
import { isBase64, isCode, isOid, isUuid, isWithoutSpace } from './primitive-text.ts';
import { isDate, isDateTime, isInstant, isTime } from './primitive-time.ts';

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

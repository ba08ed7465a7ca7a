import { Delegated } from './errors.ts';
import type { Temporal } from './item.ts';

/**
 * Compares two dates, times or date-times: negative, 0 or positive; undefined if their precision leaves it open (2020
 * against 2020-05), or if only one has a zone. A date without a time is in UTC. Throws Delegated for a time against a
 * date, and for malformed values. https://hl7.org/fhirpath/N1/#comparison
 */
export function compareTemporal(left: Temporal, right: Temporal): number | undefined {
  if ((left.type === 'Time') !== (right.type === 'Time')) throw new Delegated('a time and a date');
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a.zone !== b.zone && a.parts.length > 3 && b.parts.length > 3) return undefined;
  const length = Math.max(a.parts.length, b.parts.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.parts[index], b.parts[index]];
    if (x === undefined || y === undefined) return undefined;
    if (x !== y) return x - y;
  }
  return 0;
}

interface Parts {
  readonly parts: readonly number[];
  readonly zone: boolean;
}

/** From the year on (for a time from the hour on), in UTC if there is a zone; seconds include their fraction. */
function partsOf({ type, text }: Temporal): Parts {
  const match = text.length > 64 ? null : (type === 'Time' ? time : dateTime).exec(text);
  if (match === null) throw new Delegated(`a text that is not a ${type}`);
  const [, year, month, day, hour, minute, second, zone] = type === 'Time' ? ['', '', '', ...match] : match;
  const numbers: number[] = [];
  for (const part of type === 'Time' ? [hour, minute, second] : [year, month, day, hour, minute, second]) {
    if (part === undefined || part === '') break;
    numbers.push(Number(part));
  }
  if (type !== 'Time' && !isDate(numbers)) throw new Delegated(`a text that is not a ${type}`);
  if (zone === undefined) return { parts: numbers, zone: false };
  if (minute === undefined) throw new Delegated('an hour with a zone');
  const date = new Date(`${text.slice(0, 10)}T${hour}:${minute}:${(second ?? '00').slice(0, 2)}${zone}`);
  if (Number.isNaN(date.getTime())) throw new Delegated(`a text that is not a ${type}`);
  const parts = [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
  ];
  if (second !== undefined) parts.push(date.getUTCSeconds() + (Number(second) % 1));
  return { parts, zone: true };
}

function isDate([year = 0, month = 1, day = 1]: readonly number[]): boolean {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  return day < 29 || day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

const dateTime =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(?:(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d+)?))?)?(Z|[+-]\d\d:\d\d)?)?)?)?)?T?$/;
const time = /^(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/;

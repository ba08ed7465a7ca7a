/**
 * Compares two dates, times or date-times: negative, 0 or positive; undefined where their precision leaves it open
 * (2020 against 2020-05), or where one has a zone and the other has none. https://hl7.org/fhirpath/N1/#comparison
 */
export function compareTemporal(left: string, right: string): number | undefined {
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a === undefined || b === undefined) return undefined;
  if (a.zone !== b.zone && a.parts.length > 3 && b.parts.length > 3) return undefined;
  for (let index = 0; index < Math.max(a.parts.length, b.parts.length); index++) {
    const [x, y] = [a.parts[index], b.parts[index]];
    if (x === undefined || y === undefined) return undefined;
    if (x !== y) return x - y;
  }
  return 0;
}

/** From the year on, in UTC where there is a zone; seconds hold their fraction. */
function partsOf(text: string): { readonly parts: readonly number[]; readonly zone: boolean } | undefined {
  const match = pattern.exec(text.slice(0, 64));
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, zone] = match;
  const numbers = [year, month, day, hour, minute, second].map(part => (part === undefined ? undefined : Number(part)));
  if (zone === undefined || hour === undefined) {
    const from = year === undefined ? 3 : 0;
    const end = numbers.findIndex((part, index) => index >= from && part === undefined);
    return { parts: numbers.slice(from, end === -1 ? 6 : end).map(Number), zone: false };
  }
  const fraction = Number(second ?? 0) % 1;
  const date = new Date(`${text.slice(0, 10)}T${hour}:${minute ?? '00'}:${(second ?? '00').slice(0, 2)}${zone}`);
  if (Number.isNaN(date.getTime())) return undefined;
  const parts = [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + fraction,
  ];
  return { parts: second === undefined ? parts.slice(0, 5) : parts, zone: true };
}

const pattern =
  /^T?(?:(\d{4})(?:-(\d\d)(?:-(\d\d))?)?)?(?:T?(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d+)?))?)?(Z|[+-]\d\d:\d\d)?)?$/;

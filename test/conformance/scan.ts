// What a search means, written apart from the engine: a plain scan of records with fhirpath.js.
// https://hl7.org/fhir/R4/search.html
import { judge } from '../fhirpath/judge.ts';

export interface Resource {
  readonly resourceType: string;
  readonly id: string;
}

/** One result of an expression: its FHIR type and its JSON. */
export interface Found {
  readonly type: string;
  readonly value: any; // eslint-disable-line typescript/no-explicit-any -- any FHIR data
}

/** A query string and whether a resource whose values are these is to be found by it. */
export interface Case {
  readonly query: string;
  readonly finds: (values: readonly Found[]) => boolean;
}

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly expression: string;
}

/** What the parameter's expression yields on a resource; only its branches for the type are run. */
export function evaluate({ expression }: Parameter, resource: Resource): Found[] {
  const branches = expression.split('|').map(branch => branch.trim());
  const own = branches.filter(branch => new RegExp(`^\\(?(${resource.resourceType}|Resource)\\.`).test(branch));
  return judge(own.join(' | '), resource.resourceType, resource, resource).map(line => {
    const space = line.indexOf(' ');
    return { type: line.slice(0, space), value: JSON.parse(line.slice(space + 1)) };
  });
}

/** Queries by the parameter with values that the data holds. `zone` is where times without an offset are read. */
export function casesOf(
  parameter: Parameter,
  values: readonly Found[],
  base: string,
  zone: (local: number) => number,
): Case[] {
  const some = spread(distinct(values), 6);
  const missing = [true, false].map((missing): Case => ({
    query: `${parameter.name}:missing=${missing}`,
    finds: values => (values.length === 0) === missing,
  }));
  const byType: Record<string, (found: Found) => Case[]> = {
    token: found => tokenCases(parameter, found),
    string: found => stringCases(parameter, found),
    date: found => dateCases(parameter, found, zone),
    reference: found => referenceCases(parameter, found, base),
  };
  const make = byType[parameter.type];
  if (make === undefined) throw new Error(`no scan for ${parameter.type}`);
  const cases = some.flatMap(make);
  const [one, ...others] = cases.filter(({ query }) => query.startsWith(`${parameter.name}=`));
  const other = others.at(-1);
  const either: Case[] =
    one === undefined || other === undefined
      ? []
      : [
          {
            query: `${one.query},${other.query.slice(parameter.name.length + 1)}`,
            finds: values => one.finds(values) || other.finds(values),
          },
          { query: `${one.query}&${other.query}`, finds: values => one.finds(values) && other.finds(values) },
        ];
  return [...cases, ...either, ...(parameter.name.startsWith('_') ? [] : missing)];
}

const encode = encodeURIComponent;

interface Token {
  readonly system?: string;
  readonly code?: string;
}

function tokensOf({ type, value }: Found): Token[] {
  switch (type) {
    case 'CodeableConcept':
      return value.coding ?? [];
    case 'Coding':
      return [value];
    case 'Identifier':
      return [{ system: value.system, code: value.value }];
    case 'ContactPoint':
      return [{ code: value.system === 'phone' ? digits(value.value) : value.value.toLowerCase() }];
    default:
      return [{ code: String(value) }];
  }
}

const digits = (text: string): string => text.replace(/\D/g, '').replace(/^1(?=\d{10}$)/, '');

function tokenCases({ name }: Parameter, found: Found): Case[] {
  return tokensOf(found).flatMap(({ system, code }) => {
    const any = (test: (token: Token) => boolean) => (values: readonly Found[]) => values.flatMap(tokensOf).some(test);
    const byCode = any(token => token.code === code);
    const cases: Case[] = [
      { query: `${name}=${encode(code ?? '')}`, finds: byCode },
      { query: `${name}:not=${encode(code ?? '')}`, finds: values => !byCode(values) },
    ];
    if (found.type === 'ContactPoint' && found.value.system === 'phone') {
      cases.push({ query: `${name}=${encode(`+1 ${code}`)}`, finds: byCode });
    }
    if (name === '_id') cases.pop(); // takes no modifier
    if (system === undefined) return cases;
    return [
      ...cases,
      {
        query: `${name}=${encode(`${system}|${code}`)}`,
        finds: any(token => token.system === system && token.code === code),
      },
      { query: `${name}=${encode(`${system}|`)}`, finds: any(token => token.system === system) },
      {
        query: `${name}=${encode(`|${code}`)}`,
        finds: any(token => token.system === undefined && token.code === code),
      },
    ];
  });
}

/** A text as written, and folded where a search by its beginning may start. */
interface Text {
  readonly whole: string;
  readonly starts: readonly string[];
}

function textsOf(name: string): (found: Found) => Text[] {
  const plain = (whole: string): Text => ({ whole, starts: [fold(whole)] });
  const family = (whole: string): Text => ({ whole, starts: [fold(whole), ...fold(whole).split(' ')] });
  return ({ type, value }) => {
    if (type === 'string') return [name === 'family' ? family(value) : plain(value)];
    const { family: surname, given = [], prefix = [], suffix = [], text } = value;
    return [
      ...(surname === undefined ? [] : [family(surname)]),
      ...[...given, ...prefix, ...suffix, ...(text === undefined ? [] : [text])].map(plain),
    ];
  };
}

const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function stringCases({ name }: Parameter, found: Found): Case[] {
  const texts = textsOf(name);
  const any = (test: (text: Text) => boolean) => (values: readonly Found[]) => values.flatMap(texts).some(test);
  return texts(found).flatMap(({ whole }) => {
    const folded = fold(whole);
    const words = folded.split(' ');
    const middle = folded.slice(1, 4);
    const starting = (text: string): Case => ({
      query: `${name}=${encode(text)}`,
      finds: any(({ starts }) => starts.some(start => start.startsWith(fold(text)))),
    });
    return [
      starting(whole),
      starting(whole.toUpperCase()),
      starting(folded.slice(0, 3)),
      ...(words.length > 1 ? [starting(words.at(-1) ?? '')] : []),
      { query: `${name}:exact=${encode(whole)}`, finds: any(text => text.whole === whole) },
      { query: `${name}:exact=${encode(whole.toUpperCase())}`, finds: any(text => text.whole === whole.toUpperCase()) },
      { query: `${name}:contains=${encode(middle)}`, finds: any(text => fold(text.whole).includes(middle)) },
    ];
  });
}

function referenceCases({ name }: Parameter, found: Found, base: string): Case[] {
  const reference: string = found.value.reference;
  const finds = (values: readonly Found[]): boolean => values.some(({ value }) => value.reference === reference);
  const forms = [reference, reference.slice(reference.indexOf('/') + 1), `${base}/${reference}`];
  return forms.map(form => ({ query: `${name}=${encode(form)}`, finds }));
}

/** [from, to) in milliseconds. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A date or time as its interval; elements of type date are UTC days. */
export function intervalOf({ type, value }: Found, zone: (local: number) => number): Interval {
  if (type === 'Period') {
    const start =
      value.start === undefined ? -Infinity : intervalOf({ type: 'dateTime', value: value.start }, zone).from;
    return {
      from: start,
      to: value.end === undefined ? Infinity : intervalOf({ type: 'dateTime', value: value.end }, zone).to,
    };
  }
  const [, year = '', month, day, time, offset] =
    /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:T([\d:.]+)(Z|[+-]\d\d:\d\d)?)?$/.exec(value) ?? [];
  const utc = (y: number, m: number, d: number): number => Date.UTC(y, m, d);
  const place = (local: number): number => (type === 'date' ? local : zone(local));
  const [y, m, d] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  if (month === undefined) return { from: place(utc(y, 0, 1)), to: place(utc(y + 1, 0, 1)) };
  if (day === undefined) return { from: place(utc(y, m, 1)), to: place(utc(y, m + 1, 1)) };
  if (time === undefined) return { from: place(utc(y, m, d)), to: place(utc(y, m, d + 1)) };
  const from = offset === undefined ? zone(Date.parse(`${value}Z`)) : Date.parse(value);
  return { from, to: from + (type === 'instant' || time.includes('.') ? 1 : time.length > 5 ? 1_000 : 60_000) };
}

const prefixes: Record<string, (searched: Interval, found: Interval) => boolean> = {
  '': (s, f) => s.from <= f.from && f.from < s.to && f.to <= s.to,
  eq: (s, f) => s.from <= f.from && f.from < s.to && f.to <= s.to,
  ne: (s, f) => !(s.from <= f.from && f.from < s.to && f.to <= s.to),
  gt: (s, f) => f.to > s.to,
  lt: (s, f) => f.from < s.from,
  ge: (s, f) => f.to > s.from,
  le: (s, f) => f.from < s.to,
  sa: (s, f) => f.from >= s.to,
  eb: (s, f) => f.to <= s.from,
};

function dateCases({ name }: Parameter, found: Found, zone: (local: number) => number): Case[] {
  const text: string = found.type === 'Period' ? (found.value.start ?? found.value.end) : found.value;
  const asDate = found.type === 'date';
  return [text.slice(0, 4), text.slice(0, 7), text.slice(0, 10), text].flatMap(text => {
    // A searched time is as wide as it is written, whatever the element's type; a day is the element's own kind of day.
    const searched = intervalOf({ type: asDate ? 'date' : 'dateTime', value: text }, zone);
    return Object.entries(prefixes).map(([prefix, holds]) => ({
      query: `${name}=${prefix}${encode(text)}`,
      finds: (values: readonly Found[]) => values.some(value => holds(searched, intervalOf(value, zone))),
    }));
  });
}

function distinct(values: readonly Found[]): Found[] {
  return [...new Map(values.map(found => [JSON.stringify(found), found])).values()];
}

/** At most `most` of the items, evenly taken. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)] as T); // in range
}

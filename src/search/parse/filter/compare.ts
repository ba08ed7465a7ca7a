import { badValue, type FhirError } from '../../../fhir/error.ts';
import { parseInstantRange } from '../../../fhir/instant-range.ts';
import { dateZone } from '../../../indexing/date.ts';
import { foldString } from '../../../indexing/normalize.ts';
import type { SearchParam, SearchParamType } from '../../../model/model.ts';
import type { EntryTest, Query, Test, TokenTest } from '../../ast.ts';
import { escape } from '../escape.ts';
import { valueParsers } from '../index.ts';
import { findModifier, type Modifier } from '../modifiers.ts';
import { isEmpty } from '../shape.ts';
import { parsePhonetic } from '../phonetic.ts';
import { specialParameters } from '../special.ts';
import { asPart, malformed, type SearchContext, type Value, type ValueParser } from '../value.ts';
import { parseWords } from '../words.ts';
import type { Operator } from './tree.ts';

/** Makes the query of a comparison. */
type Compare = (value: Value, context: SearchContext) => Query;

/**
 * The query of a comparison with a value, which is as the client wrote it. Throws FhirError 400 if the parameter does
 * not have the operator. https://hl7.org/fhir/R4/search_filter.html#ops
 */
export function compare(param: SearchParam, operator: Operator, text: string, context: SearchContext): Query {
  const offered = operatorsOf(param);
  const found = offered[operator];
  if (found === undefined) throw notOffered(param, operator, Object.keys(offered));
  if (isEmpty(text, param)) throw noValue(param, operator);
  return found({ text, param, name: '_filter' }, context);
}

type Operators = Partial<Readonly<Record<Operator, Compare>>>;

function operatorsOf(param: SearchParam): Operators {
  if (param.reads === 'words') return fullText;
  if (param.reads === 'phonetic') return phonetic;
  if (specialParameters.has(param.code)) return param.type === 'date' ? specialPrefixes : specials;
  const sets = Object.entries(param.type === 'token' ? byModifier : {}).flatMap(([operator, name]) => {
    const modifier = findModifier(param, name, noTypes);
    return typeof modifier === 'object' && 'values' in modifier ? [[operator, modified(modifier)] as const] : [];
  });
  return { ...byType[param.type], ...Object.fromEntries(sets) };
}

/** The operators that are modifiers in a usual search. */
const byModifier = { in: 'in', ni: 'not-in', ss: 'below', sb: 'above' } as const;
const noTypes: ReadonlySet<string> = new Set();

const modified =
  ({ values, complement }: Extract<Modifier, { values: ValueParser }>): Compare =>
  (value, context) => {
    const query = parsed(values)(value, context);
    return complement === true ? { kind: 'not', of: query } : query;
  };

/** A record matches if one of its entries passes one of the tests of a parser. */
const parsed =
  (parse: ValueParser): Compare =>
  (value, context) => ({
    kind: 'or',
    of: parse(value, context).map((test): Query => ({ kind: 'param', param: value.param, test })),
  });

/** A record matches if one of its entries passes none of the tests of a parser. */
const unequal =
  (parse: ValueParser): Compare =>
  (value, context) =>
    entry(value, { kind: 'unequal', of: parse(value, context) });

/** Another code: stores find it by the terms of all others. A test without a code is decided on candidates. */
const otherToken: Compare = (value, context) => {
  const tests = valueParsers.token(value, context);
  const of = tests.filter(test => test.kind === 'token' && test.code !== undefined) as readonly TokenTest[];
  const withSystem = of.filter(({ system }) => system !== undefined).length;
  if (of.length < tests.length || (withSystem > 0 && withSystem < of.length))
    return unequal(() => tests)(value, context);
  return { kind: 'param', param: value.param, test: { kind: 'otherCode', of } };
};

const entry = ({ param }: Value, test: EntryTest): Query => ({ kind: 'entry', param, test });

/** `true` for records with a value, `false` for those without one. */
const present: Compare = ({ text, param }) => {
  const query: Query = specialParameters.has(param.code) ? { kind: 'all' } : { kind: 'present', param };
  if (text === 'true') return query;
  if (text === 'false') return { kind: 'not', of: query };
  throw badValue('_filter', `\`${text}\` is not a value for \`pr\`: write \`true\` or \`false\`.`);
};

const prefixes = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'ap', 'sa', 'eb'] as const;

/** The operators that are prefixes of values in a usual search. */
const withPrefixes = (parse: ValueParser): Operators =>
  Object.fromEntries(
    prefixes.map((prefix): [Operator, Compare] => [
      prefix,
      (value, context) => parsed(parse)({ ...value, text: `${prefix}${value.text}` }, context),
    ]),
  );

/** True if the two periods have an instant in common. */
const overlaps: Compare = (value, context) => {
  const range = parseInstantRange(value.text, dateZone(value.param.dataTypes, context.zone));
  if (range === undefined) throw malformed(value, '`po` compares with a date, such as `2020-02`');
  const bounds = [
    { end: 'low', is: '<', value: range.high },
    { end: 'high', is: '>', value: range.low },
  ] as const;
  return { kind: 'param', param: value.param, test: { kind: 'range', bounds } };
};

/** Strings are compared without case, accents and punctuation, as in a usual search. */
const folded = (value: Value): string => {
  const text = foldString(value.text);
  if (text === '') throw malformed(value, 'white space alone cannot be searched for');
  return text;
};

/** In these values a `,`, `|` or `$` is a part of the text. */
const literal =
  (parse: ValueParser): ValueParser =>
  (value, context) =>
    parse({ ...value, text: escape(value.text) }, context);

const string = (how: 'starts' | 'contains'): Compare =>
  parsed(value => [{ kind: 'string', how, text: how === 'contains' ? asPart(value, folded(value)) : folded(value) }]);
const equal = (value: Value): EntryTest => ({ kind: 'equals', text: folded(value) });

const uri =
  (how: 'starts' | 'contains' | 'ends'): Compare =>
  value =>
    entry(value, { kind: 'uriPart', how, text: value.text });

/**
 * A URI other than this one. A canonical with a version, and the URL of a definition with one, have an entry with the
 * version and one without it. The value is equal if either is: `a|1` is `a` in some version. Beside `a|1`, `a` alone is
 * another value unless it is the second entry of a canonical with a version.
 */
const otherUri: Compare = (value, context) => {
  const [uri = value.text] = value.text.split('|', 1);
  const versions: EntryTest = { kind: 'uriPart', how: 'starts', text: `${uri}|` };
  const without: Test = { kind: 'uri', uri };
  const of = literal(valueParsers.uri)(value, context);
  if (uri === value.text) return entry(value, { kind: 'unequal', of: [...of, versions] });
  const { param } = value;
  const alone: Query = {
    kind: 'and',
    of: [
      { kind: 'param', param, test: without },
      { kind: 'not', of: entry(value, versions) },
    ],
  };
  return { kind: 'or', of: [entry(value, { kind: 'unequal', of: [...of, without] }), alone] };
};

const reference = parsed(valueParsers.reference);

/** All words must occur. */
const fullText: Operators = { co: parsed(literal(parseWords)), pr: present };

/** Names that sound alike. */
const phonetic: Operators = { eq: value => parsePhonetic({ ...value, text: escape(value.text) }), pr: present };

/** Entries of a composite have no order, and `in` and its relatives are modifiers. */
const byType: Readonly<Record<SearchParamType, Operators>> = {
  string: {
    eq: value => entry(value, equal(value)),
    ne: value => entry(value, { kind: 'unequal', of: [equal(value)] }),
    co: string('contains'),
    sw: string('starts'),
    ew: value => entry(value, { kind: 'ends', text: asPart(value, folded(value)) }),
    pr: present,
  },
  token: { eq: parsed(valueParsers.token), ne: otherToken, pr: present },
  reference: { eq: reference, ne: unequal(valueParsers.reference), re: reference, pr: present },
  date: { ...withPrefixes(valueParsers.date), po: overlaps, pr: present },
  number: { ...withPrefixes(valueParsers.number), pr: present },
  quantity: { ...withPrefixes(valueParsers.quantity), pr: present },
  uri: {
    eq: parsed(literal(valueParsers.uri)),
    ne: otherUri,
    co: uri('contains'),
    sw: uri('starts'),
    ew: uri('ends'),
    pr: present,
  },
  composite: { eq: parsed(valueParsers.composite), ne: unequal(valueParsers.composite) },
  special: {},
};

const special: Compare = (value, context) =>
  specialParameters.get(value.param.code)?.([value], context) ?? { kind: 'all' };

const specials: Operators = {
  eq: special,
  ne: (value, context) => ({ kind: 'not', of: special(value, context) }),
  pr: present,
};

const specialPrefixes: Operators = {
  ...Object.fromEntries(
    prefixes.map((prefix): [Operator, Compare] => [
      prefix,
      (value, context) => special({ ...value, text: `${prefix}${value.text}` }, context),
    ]),
  ),
  pr: present,
};

const noValue = ({ code }: SearchParam, operator: Operator): FhirError =>
  badValue('_filter', `\`${code} ${operator}\` has no value in the filter: give it one, or test with \`${code} pr\`.`);

function notOffered({ code, type }: SearchParam, operator: Operator, offered: readonly string[]): FhirError {
  const list = offered.map(one => `\`${one}\``).join(', ');
  const offer = offered.length === 0 ? 'It has none' : `Use ${list}`;
  return badValue('_filter', `\`${code}\`, a ${type}, has no operator \`${operator}\` in a filter. ${offer}.`);
}

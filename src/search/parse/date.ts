import { parseInstantRange } from '../../fhir/instant-range.ts';
import { dateZone } from '../../indexing/date.ts';
import type { Bound } from '../ast.ts';
import { dateBounds, takePrefix } from './comparator.ts';
import { malformed, type SearchContext, type Value, type ValueParser } from './value.ts';

/**
 * `[prefix]yyyy[-mm[-dd[Thh:mm[:ss[.fff]][Z|±hh:mm]]]]`. A value without offset is read in the zone of the parameter's
 * entries (`dateZone`). https://hl7.org/fhir/R4/search.html#date
 */
export const parseDate: ValueParser = (value, context) => {
  const zone = dateZone(value.param.dataTypes, context.zone);
  return parseDateBounds(value, zone, context).map(bounds => ({ kind: 'range', bounds }));
};

/**
 * A date as it was meant: in a URL or a form an unescaped `+` is a space, which before an offset can only be a `+`.
 * https://url.spec.whatwg.org/#urlencoded-parsing
 */
export const withPlus = (text: string): string => text.replace(/(T[0-9:.]+) (?=[0-9]{2}:[0-9]{2}$)/, '$1+');

/** The bounds of a date value: one of the lists must match completely. */
export function parseDateBounds(value: Value, zone: string, context: SearchContext): readonly Bound[][] {
  const { prefix, rest } = takePrefix(value.text);
  const range = parseInstantRange(withPlus(rest), zone);
  if (range === undefined) throw malformed(value, expected);
  return dateBounds(prefix, range, context.now);
}

const expected =
  'a date is written `2020`, `2020-02`, `2020-02-01` or `2020-02-01T10:15:30-05:00`, ' +
  'after one of the prefixes `eq`, `ne`, `gt`, `lt`, `ge`, `le`, `sa`, `eb`, `ap` or none';

import { afterPrefix, type Interval } from '../keys/interval.ts';
import { behindOrdered, firstValue, orderedText } from '../keys/order-key.ts';
import type { TermRange } from '../keys/terms.ts';

export function anyOf(values: readonly string[]): string | { $in: string[] } {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : { $in: [...values] };
}

/** The condition of texts with a prefix. The server compares texts by code point. */
export function beginsWith(prefix: string): { $gte: string; $lt?: string } {
  const end = afterPrefix(prefix);
  return { $gte: prefix, ...(end === undefined ? {} : { $lt: end }) };
}

/** The condition of terms of an index: of a prefix, behind one term and before another. */
export function termsBetween(start: string, { prefix, after, before }: TermRange): object {
  const whole = beginsWith(start + prefix);
  const { $gte, $lt } = { ...whole, ...(before === undefined ? {} : { $lt: start + before }) };
  const end = $lt === undefined ? {} : { $lt };
  return after === undefined ? { $gte, ...end } : { $gt: start + after, ...end };
}

/** The text in a pattern, which cannot contain U+0000 itself. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/#-]/g, String.raw`\$&`).replaceAll('\0', String.raw`\x00`);
}

/** The condition on the two ends of an entry. */
export function ends(low: Interval, high: Interval): object {
  const [lo, hi] = [inside(low), inside(high)];
  return { ...(lo === undefined ? {} : { lo }), ...(hi === undefined ? {} : { hi }) };
}

function inside({ min, minOpen, max, maxOpen }: Interval): object | undefined {
  if (min === -Infinity && max === Infinity) return undefined;
  return {
    ...(min === -Infinity ? {} : { [minOpen ? '$gt' : '$gte']: min }),
    ...(max === Infinity ? {} : { [maxOpen ? '$lt' : '$lte']: max }),
  };
}

/** Order keys (order-key.ts) whose number is in an interval; all with a number for one without ends. */
export function inOrder(at: Interval): { $gte: string; $lt?: string } {
  const { from, to } = orderBounds(at);
  return { $gte: from, ...(to === undefined ? {} : { $lt: to }) };
}

/** Order keys whose number is in an interval, as [from, to). */
export function orderBounds({ min, minOpen, max, maxOpen }: Interval): { from: string; to: string | undefined } {
  return {
    from: min === -Infinity ? firstValue : minOpen ? behindOrdered(near(min)) : orderedText(near(min)),
    to: max === Infinity ? undefined : maxOpen ? orderedText(near(max)) : behindOrdered(near(max)),
  };
}

/** No number exceeds the range of a Date. */
const near = (value: number): number => Math.max(-farOut, Math.min(farOut, value));

const farOut = 9e15;

import { exactDecimal, nearestNumber, plus, times } from './exact-decimal.ts';

/**
 * The smallest and the largest of the values in a SampledData: `origin + factor × number`, without rounding. Beyond
 * its detection limits (`L`, `U`) it extends to the end of numbers; an error (`E`) is no value. Undefined without any
 * value.
 * https://hl7.org/fhir/R4/datatypes.html#SampledData
 */
export function sampledEnds(value: unknown): { readonly low: number; readonly high: number } | undefined {
  const { origin, factor = 1, data } = value as Stored;
  const start = origin?.value;
  if (typeof start !== 'number' || !Number.isFinite(start) || typeof data !== 'string') return undefined;
  if (typeof factor !== 'number' || !Number.isFinite(factor)) return undefined;
  let [least, most] = [Infinity, -Infinity];
  let [below, above] = [false, false];
  for (const [text] of data.matchAll(/\S+/g)) {
    if (text === 'L') below = true;
    else if (text === 'U') above = true;
    const number = Number(text);
    if (!Number.isFinite(number)) continue;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  const scaled = (least === Infinity ? [] : [least, most]).map(number =>
    nearestNumber(plus(exactDecimal(start), times(exactDecimal(number), exactDecimal(factor)))),
  );
  if (scaled.length === 0 && !below && !above) return undefined;
  const [isLow, isHigh] = factor < 0 ? [above, below] : [below, above];
  return {
    low: isLow || scaled.length === 0 ? -Number.MAX_VALUE : Math.min(...scaled),
    high: isHigh || scaled.length === 0 ? Number.MAX_VALUE : Math.max(...scaled),
  };
}

/** Of stored JSON: members are checked before use. */
interface Stored {
  readonly origin?: { readonly value?: unknown } | null;
  readonly factor?: unknown;
  readonly data?: unknown;
}

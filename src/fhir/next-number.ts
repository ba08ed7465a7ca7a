const bytes = new DataView(new ArrayBuffer(8));

/** The largest number below another one, which is finite: the end of an interval that does not include it. */
export function numberBelow(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  bytes.setFloat64(0, value);
  bytes.setBigUint64(0, bytes.getBigUint64(0) + (value > 0 ? -1n : 1n));
  return Math.max(bytes.getFloat64(0), -Number.MAX_VALUE);
}

/** The smallest number above another one, which is finite. */
export const numberAbove = (value: number): number => 0 - numberBelow(0 - value);

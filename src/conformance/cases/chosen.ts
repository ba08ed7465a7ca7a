/**
 * Up to `most` different values: the most frequent one, which more than one record has, then the rarest, which separate
 * records best.
 */
export function chosen<Value>(values: readonly Value[], most: number): readonly Value[] {
  const counts = new Map<string, { readonly value: Value; count: number }>();
  for (const value of values) {
    const key = JSON.stringify(value);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { value, count: 1 });
    else known.count += 1;
  }
  const [first, ...others] = [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ value }) => value);
  if (first === undefined) return [];
  return [first, ...others.toReversed()].slice(0, most);
}

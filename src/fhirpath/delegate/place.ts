import type { Result } from './job.ts';

/**
 * The object or array and the property or index of a result, in the value that was sent; undefined for the value
 * itself.
 */
export function placeIn(
  { of, steps }: NonNullable<Result['place']>,
  focus: unknown,
  resource: unknown,
): { readonly parent: object; readonly key: string | number } | undefined {
  let parent: unknown = of === 'focus' ? focus : resource;
  const last = steps.at(-1);
  // JSON
  for (const step of steps.slice(0, -1)) parent = (parent as Record<string | number, unknown> | undefined)?.[step];
  if (last === undefined || typeof parent !== 'object' || parent === null) return undefined;
  return { parent, key: last };
}

/** The value of a result, in what was sent. */
export function valueAt(place: NonNullable<Result['place']>, focus: unknown, resource: unknown): unknown {
  const at = placeIn(place, focus, resource);
  if (at === undefined) return place.of === 'focus' ? focus : resource;
  return (at.parent as Record<string | number, unknown>)[at.key]; // JSON
}

import type { Definition } from './definition.ts';
import { digestOf } from './digests.ts';
import type { Digests } from './digests.ts';

/**
 * Whether two definitions are equal, ignoring `text`, `meta`, `id` and the order of keys. The R4 pack is reduced, so
 * another definition is compared with it in that form. A definition with digests is not parsed for it.
 */
export function sameContent(a: Definition, b: Definition): boolean {
  if (!a.core && !b.core) return digest(a, 'whole') === digest(b, 'whole');
  const [core, other] = a.core ? [a, b] : [b, a];
  return digestOf(core.resource(), 'reduced') === digest(other, 'reduced');
}

const digest = (definition: Definition, form: keyof Digests): string =>
  definition.digests?.[form] ?? digestOf(definition.resource(), form);

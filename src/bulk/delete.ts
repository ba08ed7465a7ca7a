import { isId } from '../fhir/reference.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { commit } from '../interaction/write/commit.ts';
import type { Model } from '../model/model.ts';
import type { Partition } from '../store/port/partitions.ts';

/** The outcome of deleting one resource. */
export interface Deleted {
  /** `Type/id`, as given. */
  readonly key: string;
  /** `absent`: there is none, or it was deleted before. */
  readonly outcome: 'removed' | 'absent';
}

/**
 * Deletes resources by `Type/id` in one commit: each leaves a tombstone, so that a read returns 410. Throws Error,
 * before any deletion, for a malformed key or an undeclared type. https://hl7.org/fhir/R4/http.html#delete
 */
export async function deleteResources(
  partition: Partition,
  model: Model,
  keys: readonly string[],
): Promise<readonly Deleted[]> {
  const unique = [...new Set(keys)];
  const changes = unique.map(key => ({ kind: 'remove' as const, ...parseKey(model, key) }));
  if (changes.length === 0) return [];
  const results = await commit(
    partition,
    changes.map(change => ({ change, contents: [] })),
    {},
  );
  return unique.map((key, index) => ({ key, outcome: results[index]?.outcome === 'removed' ? 'removed' : 'absent' }));
}

function parseKey(model: Model, key: string): { type: string; id: string } {
  const [type = '', id = '', ...more] = key.split('/');
  if (more.length > 0 || !isId(id)) throw new Error(`\`${key}\` is not \`Type/id\`.`);
  if (!model.types.has(type)) {
    throw new Error(`The type \`${type}\` is not declared.${didYouMean(type, model.types.keys())}`);
  }
  return { type, id };
}

import { isObject } from '../definitions/json-object.ts';
import { splitUnion } from '../model/branch.ts';
import type { Query } from '../search/ast.ts';

/** A place in a record, and the reference that lets the record through where it stands there just so. */
export interface Sight {
  readonly resourceType: string;
  /** Elements, from the record down. */
  readonly steps: readonly string[];
  /** `Type/id`. */
  readonly reference: string;
}

/**
 * Where a look tells that a rule lets a record of a type through, as most records that are asked for do: what is at the end of
 * a plain path is the reference that the rule wants. Nothing for rules that are more than that.
 */
export function sightsOf(rule: Query, resourceType: string): readonly Sight[] {
  if (rule.kind === 'or') return rule.of.flatMap(one => sightsOf(one, resourceType));
  if (rule.kind !== 'param' || rule.param.type !== 'reference' || rule.test.kind !== 'reference') return [];
  const { type, id, url, version } = rule.test;
  if (type === undefined || id === undefined || url !== undefined || version !== undefined) return [];
  return splitUnion(rule.param.expression).flatMap((branch): Sight[] => {
    const [, root, path, target = type] = plain.exec(branch) ?? [];
    if (root !== resourceType || path === undefined || target !== type) return [];
    return [{ resourceType, steps: path.slice(1).split('.'), reference: `${type}/${id}` }];
  });
}

/** `Type.part.element`, and of those who is meant, as in `Type.element.where(resolve() is Other)`. */
const plain = /^([A-Z]\w*)((?:\.[a-z]\w*)+?)(?:\.where\(resolve\(\) is ([A-Z]\w*)\))?$/;

/** True where the rule certainly lets the record through; otherwise all of the rule is to be asked. */
export const isSeen = (record: unknown, sights: readonly Sight[]): boolean =>
  isObject(record) &&
  sights.some(
    ({ resourceType, steps, reference }) =>
      record['resourceType'] === resourceType && leadsTo(record, steps, 0, reference),
  );

function leadsTo(value: unknown, steps: readonly string[], at: number, reference: string): boolean {
  if (Array.isArray(value)) return value.some(one => leadsTo(one, steps, at, reference));
  if (!isObject(value)) return false;
  const step = steps[at];
  if (step === undefined) return value['reference'] === reference;
  return Object.hasOwn(value, step) && leadsTo(value[step], steps, at + 1, reference);
}

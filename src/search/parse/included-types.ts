import type { Model, ResourceType } from '../../model/model.ts';
import type { Include } from '../include.ts';

/** The types of the records that includes may add, each once. */
export function includedTypes(includes: readonly Include[], { types }: Model): readonly ResourceType[] {
  const found = new Set<ResourceType>();
  for (const { reverse, links, target } of includes)
    for (const { type, param } of links) {
      if (reverse) found.add(type);
      else for (const name of target === undefined ? targetsOf(param.targets, types) : [target]) add(types.get(name));
    }
  return [...found];

  function add(type: ResourceType | undefined): void {
    if (type !== undefined) found.add(type);
  }
}

const targetsOf = (targets: readonly string[], types: Model['types']): Iterable<string> =>
  targets.length > 0 ? targets : types.keys();

import type { Model, ResourceType, SearchParam } from '../../../src/model/model.ts';
import { sortKindOf } from '../../../src/search/sort-value.ts';

/**
 * One parameter of each shape that a model has, as parameters of one type: those of one shape have the same clauses,
 * but for the name of their index.
 */
export function shapesOf(model: Model, like: ResourceType): ResourceType {
  const shapes = new Map<string, SearchParam>();
  for (const type of model.types.values())
    for (const param of type.indexed.values()) {
      const shape = shapeOf(param);
      if (!shapes.has(shape)) shapes.set(shape, { ...param, code: `${type.name}-${param.code.replaceAll(':', '-')}` });
    }
  const indexed = new Map([...shapes.values()].map(param => [param.code, param]));
  const dates = [...indexed.values()].filter(({ type }) => type === 'date');
  return {
    ...like,
    parameters: indexed,
    indexed,
    sortDate: dates.find(({ single }) => single),
    sortIndexes: new Set(
      [...indexed.values()].filter(param => sortKindOf(param) !== undefined).map(({ code }) => code),
    ),
    pairs: [],
  };
}

function shapeOf({ type, single, targets, dataTypes, reads, components }: SearchParam): string {
  const isCanonical = type === 'reference' && dataTypes.has('canonical');
  return JSON.stringify([type, single, targets.length > 0, isCanonical, reads, components.map(one => one.param.type)]);
}

import { fhirError } from '../../fhir/error.ts';
import { restriction } from '../../auth/restrict.ts';
import type { Engine, Interaction } from '../interaction.ts';
import type { IndexState } from '../../store/port/indexes.ts';
import { readArguments } from './arguments.ts';
import { printParameters } from './parameters.ts';

/** How far the index of a search parameter is that a record defines. */
export interface StoredParameterState {
  /** `ignored`: no type has it: it is not active, or another one applies instead, or it does not compile. */
  readonly status: 'indexing' | 'active' | 'ignored';
  /** The indexes of its types. */
  readonly indexes: readonly IndexState[];
}

/**
 * `$status` of a SearchParameter: whether searches by it are answered, and how many records are indexed, unless this
 * would tell the caller of records that it may not see. Throws FhirError 404 for one that is no record.
 */
export const parameterStatus: Interaction = async (engine, request, partition) => {
  readArguments(engine, request);
  const { id = '', access } = request;
  const found = engine.definitions.above?.records.find(
    one => one.resourceType === request.resourceType && one.id === id,
  );
  if (found === undefined)
    throw fhirError(404, 'not-found', `There is no record ${request.resourceType ?? ''}/${id}.`, 'http.id');
  const { status, indexes } = await stateOfParameter(
    engine,
    partition.id,
    found.version === undefined ? found.url : `${found.url}|${found.version}`,
  );
  const sum = (of: 'done' | 'of'): number => indexes.reduce((all, one) => all + one[of], 0);
  const isOpen = indexes.every(({ type }) => {
    const declared = engine.model.types.get(type);
    return declared !== undefined && restriction(access, declared, 's').kind === 'all';
  });
  const counts = isOpen
    ? [
        { name: 'done', valueInteger: sum('done') },
        { name: 'total', valueInteger: sum('of') },
      ]
    : [];
  return { status: 200, body: printParameters([{ name: 'status', valueCode: status }, ...counts]) };
};

/** The state of the search parameter with this canonical, in all types that have it. */
export async function stateOfParameter(
  { model, store }: Pick<Engine, 'model' | 'store'>,
  partition: string,
  canonical: string,
): Promise<StoredParameterState> {
  const indexes: IndexState[] = [];
  for (const type of model.types.values())
    for (const { code, stored, url } of type.parameters.values()) {
      if (stored !== true || url !== canonical) continue;
      const states = await store.indexes.status({ partition, type: type.name });
      indexes.push(...states.filter(({ param }) => param === code));
    }
  if (indexes.length === 0) return { status: 'ignored', indexes };
  return { status: indexes.some(({ state }) => state === 'pending') ? 'indexing' : 'active', indexes };
}

import { fhirError } from '../../fhir/error.ts';
import type { Store } from '../../store/store.ts';
import type { Step } from '../context.ts';

/** Finds the partition that the path names, before anything else is looked at; 404 where there is none. */
export function findPartition(store: Store, publicUrl: string): Step {
  return async ({ state }) => {
    const id = state.params['partition'] ?? '';
    const partition = /^[a-z0-9-]{1,32}$/.test(id) ? await store.partition(id) : undefined;
    if (partition === undefined) {
      throw fhirError(
        404,
        'not-found',
        `There is no partition \`${id}\`. The base URL is \`${publicUrl}/r4/{partition}\`.`,
      );
    }
    state.partition = partition;
    state.base = `${publicUrl}/r4/${id}`;
  };
}

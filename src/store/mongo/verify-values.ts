import type { Collection } from 'mongodb';
import type { StoreFinding } from '../transfer.ts';
import { jsonFault, zoneFault } from '../value-fault.ts';
import { documents, marks, meta, parameters, partitions, reservations } from './collections.ts';
import type { Core } from './core.ts';
import { pages } from './notes.ts';

/** How many are checked before progress is told. */
const step = 500;

/**
 * Checks what is kept beside the records: settings, states, documents, marks and keys of writes. Gives how many those
 * were.
 */
export async function* verifyValues({
  database,
}: Core): AsyncIterable<{ readonly checked: number; readonly findings: readonly StoreFinding[] }> {
  yield* check(partitions(database), 'partition', ({ zone }) => zoneFault(zone));
  yield* check(meta(database), 'meta', ({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? undefined : 'it is neither text nor number',
  );
  yield* check(parameters(database), 'index', ({ state }) =>
    ['ready', 'pending'].includes(state) ? undefined : 'its state is none',
  );
  yield* check(documents(database), 'document', ({ value }) => jsonFault(value));
  yield* check(marks(database), 'mark', ({ value }) => (typeof value === 'string' ? undefined : 'it is no text'));
  yield* check(reservations(database), 'key', ({ results, expires }) =>
    (results === undefined || Array.isArray(results)) && typeof expires === 'number'
      ? undefined
      : 'it is not what was written',
  );
}

async function* check<T extends { _id: string }>(
  collection: Collection<T>,
  name: string,
  faultOf: (document: T) => string | undefined,
): AsyncIterable<{ readonly checked: number; readonly findings: readonly StoreFinding[] }> {
  let checked = 0;
  let findings: StoreFinding[] = [];
  for await (const document of pages(collection, {})) {
    const why = faultOf(document as unknown as T); // what `pages` reads is whole
    if (why !== undefined) findings.push({ is: 'value', partition: undefined, what: `${name} ${document._id}`, why });
    checked += 1;
    if (checked < step) continue;
    yield { checked, findings };
    [checked, findings] = [0, []];
  }
  yield { checked, findings };
}

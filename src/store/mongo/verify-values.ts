import type { Collection, Document } from 'mongodb';
import { jsonFault, zoneFault } from '../record/faults.ts';
import type { Checked } from '../upkeep/indexes.ts';
import { documents, marks, meta, parameters, partitions, reservations } from './collections.ts';
import type { Core } from './core.ts';
import { pagesOf } from './pages.ts';

/** Checks data other than records: settings, states, documents, marks and keys of writes. Returns their number. */
export async function* verifyValues({ database }: Core): AsyncIterable<Checked> {
  yield* check(partitions(database), 'partition', ({ zone }) => zoneFault(zone));
  yield* check(meta(database), 'meta', ({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? undefined : 'it is neither a text nor a number',
  );
  yield* check(parameters(database), 'index', ({ state }) =>
    ['ready', 'pending'].includes(state) ? undefined : 'its state is not valid',
  );
  yield* check(documents(database), 'document', ({ value }) => jsonFault(value));
  yield* check(marks(database), 'mark', ({ value }) => (typeof value === 'string' ? undefined : 'it is not a text'));
  yield* check(reservations(database), 'key', ({ results, expires }) =>
    (results === undefined || Array.isArray(results)) && typeof expires === 'number'
      ? undefined
      : 'it differs from what was written',
  );
}

async function* check<T extends Document & { readonly _id: string }>(
  collection: Collection<T>,
  name: string,
  faultOf: (document: T) => string | undefined,
): AsyncIterable<Checked> {
  for await (const page of pagesOf<T>(collection, {}, { size: 500 })) {
    const findings = page.flatMap(document => {
      const why = faultOf(document);
      return why === undefined
        ? []
        : [{ is: 'value' as const, partition: undefined, what: `${name} ${document._id}`, why }];
    });
    yield { checked: page.length, findings };
  }
}

import type { Collection, Document } from 'mongodb';
import { jsonFault, versionFinding, zoneFault } from '../record/faults.ts';
import type { Checked } from '../upkeep/indexes.ts';
import type { CheckedPart } from '../upkeep/verify.ts';
import { ofPartition } from './attachment-bucket.ts';
import {
  documents,
  marks,
  meta,
  parameters,
  partitions,
  partitionsOf,
  reservations,
  typesKept,
} from './collections.ts';
import { type Core, history, type PartitionInfo, resources } from './core.ts';
import { coreIn } from './defining.ts';
import { attachedTo, storedVersion } from './current.ts';
import type { ResourceDocument } from './layout.ts';
import { pagesOf } from './pages.ts';
import { verifyType } from './verify-indexes.ts';

/**
 * Reads all data of the database, or of one partition, and reports damage: versions of records, other data, index
 * entries. The database checks the pages of its own files whenever it reads them.
 */
export async function* partsOf(core: Core, partition: string | undefined): AsyncIterable<CheckedPart> {
  const places = (await partitionsOf(core.database)).filter(({ id }) => partition === undefined || id === partition);
  for (const step of ['records', 'versions'] as const)
    for (const place of places)
      for (const type of await typesKept(core.database)) yield { step, read: verifyVersions(core, place, type, step) };
  yield { step: 'values', read: verifyValues(core) };
  for (const place of places) {
    const own = await coreIn(core, place);
    for (const type of own.options.model.types.values()) yield { step: 'indexes', read: verifyType(own, place, type) };
  }
}

type Kept = Pick<ResourceDocument, '_id' | 'p' | 'version' | 'updated' | 'text' | 'attached' | 'digest'>;
const project = { p: 1, version: 1, updated: 1, text: 1, attached: 1, digest: 1 } as const;

/** Checks the current versions of a type in a partition, or the older ones. */
async function* verifyVersions(
  core: Core,
  { id: partition, p }: PartitionInfo,
  type: string,
  step: 'records' | 'versions',
): AsyncIterable<Checked> {
  const versions = step === 'records' ? resources(core, type) : history(core, type);
  for await (const page of pagesOf<Kept>(versions, {}, { within: ofPartition(p), project })) {
    const findings = page.flatMap(document => {
      const stored = storedVersion(p, type, document);
      const wrong =
        document.p === p
          ? versionFinding(p, { ...stored, attachments: attachedTo(document) }, document.digest)
          : ({ is: 'altered', why: 'it names another partition than its key' } as const);
      const record = `${type}/${stored.id}`;
      const what = step === 'records' ? record : `${record}/_history/${stored.version}`;
      return wrong === undefined ? [] : [{ ...wrong, partition, what }];
    });
    yield { checked: page.length, findings };
  }
}

/** Checks data other than records: settings, states, documents, marks and keys of writes. Returns their number. */
async function* verifyValues({ database }: Core): AsyncIterable<Checked> {
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

import type { Collection } from 'mongodb';
import type { StoreFinding, StoreProgress } from '../transfer.ts';
import { isTold, type Told } from '../told-findings.ts';
import { versionFinding } from '../version-fault.ts';
import { ofPartition } from './attachment-bucket.ts';
import { partitions, typesKept } from './collections.ts';
import { type Core, history, type PartitionInfo, resources } from './core.ts';
import { storedVersion } from './current.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { verifyType } from './verify-indexes.ts';
import { verifyValues } from './verify-values.ts';

/** Versions that one operation reads. */
const slice = 100;

type Checked = Pick<ResourceDocument, '_id' | 'p' | 'version' | 'updated' | 'text' | 'attached' | 'digest'>;
const checkedFields = { p: 1, version: 1, updated: 1, text: 1, attached: 1, digest: 1 } as const;

type Versions = Collection<ResourceDocument | HistoryDocument>;
type Step = Pick<StoreProgress, 'checked' | 'undigested' | 'findings'>;

/**
 * Reads all that the database holds, or of one partition, and reports what is damaged: versions of records, what is
 * kept beside them, index entries. Pages of its own files the database checks itself, whenever it reads them.
 */
export async function* verifyStore(core: Core, partition: string | undefined): AsyncIterable<StoreProgress> {
  const told: Told = new Set();
  const fresh = (findings: readonly StoreFinding[]): readonly StoreFinding[] =>
    findings.filter(finding => !isTold(told, finding));
  const all = await partitions(core.database).find(partition === undefined ? {} : { _id: partition }).sort({ _id: 1 }).toArray(); // prettier-ignore
  const places = all.map(({ _id: id, key: p, zone }): PartitionInfo => ({ id, p, settings: { zone } }));
  let undigested = 0;
  for (const step of ['records', 'versions'] as const) {
    let checked = 0;
    for (const place of places)
      for (const type of await typesKept(core.database)) {
        const versions = (step === 'records' ? resources(core, type) : history(core, type)) as unknown as Versions; // what both have is read
        for await (const one of verifyVersions(versions, place, type, step === 'versions')) {
          checked += one.checked;
          undigested += one.undigested;
          yield { step, checked, of: undefined, undigested, findings: fresh(one.findings) };
        }
      }
  }
  let values = 0;
  for await (const { checked, findings } of verifyValues(core)) {
    values += checked;
    yield { step: 'values', checked: values, of: undefined, undigested, findings: fresh(findings) };
  }
  let before = 0;
  for (const place of places)
    for (const type of core.options.model.types.values()) {
      let checked = 0;
      for await (const step of verifyType(core, place, type)) {
        ({ checked } = step);
        const findings = fresh(step.findings);
        yield { step: 'indexes', checked: before + checked, of: undefined, undigested, findings };
      }
      before += checked;
    }
}

/** Checks the versions of a type in a partition that a collection holds. */
async function* verifyVersions(
  versions: Versions,
  { id: partition, p }: PartitionInfo,
  type: string,
  isOlder: boolean,
): AsyncIterable<Step> {
  const { $gte, $lt } = ofPartition(p);
  for (let after = $gte; ;) {
    const page = await versions
      .find({ _id: { $gt: after, $lt } })
      .project<Checked>(checkedFields)
      .sort({ _id: 1 })
      .limit(slice)
      .toArray();
    const findings = page.flatMap((document): readonly StoreFinding[] => {
      const wrong = findingOf(p, type, document);
      const { id, version } = storedVersion(p, type, { ...document, b: '' });
      const what = isOlder ? `${type}/${id}/_history/${version}` : `${type}/${id}`;
      return wrong === undefined ? [] : [{ ...wrong, partition, what }];
    });
    const undigested = page.filter(({ digest }) => digest === undefined).length;
    yield { checked: page.length, undigested, findings };
    if (page.length < slice) return;
    after = page.at(-1)?._id ?? after;
  }
}

function findingOf(p: string, type: string, document: Checked): Pick<StoreFinding, 'is' | 'why'> | undefined {
  if (document.p !== p) return { is: 'altered', why: 'it says another partition than it is kept under' };
  const stored = storedVersion(p, type, { ...document, b: '' });
  const attachments = stored.text === undefined ? [] : (document.attached ?? []);
  return versionFinding(p, { ...stored, attachments }, document.digest);
}

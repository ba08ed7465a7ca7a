import { fhirError } from '../../fhir/error.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import { belowBase, parseReference } from '../../fhir/reference.ts';
import { referencesIn } from '../../indexing/other-references.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import type { MomentRecord } from '../../store/port/transfer.ts';
import type { Selection } from './selection.ts';
import type { ExportTask } from './task.ts';

interface LocalKey {
  readonly type: string;
  readonly id: string;
}

/**
 * Whether the text of a record may refer to one of these types, also by an absolute URL: most do not, and need not be
 * parsed. A text with an escape may.
 */
export function mayReferTo(types: readonly string[]): (text: string) => boolean {
  const reference = new RegExp(`"(?:[^"]*/)?(?:${types.join('|')})/`);
  return text => reference.test(text) || text.includes('\\');
}

/** The records of this partition that a record refers to in any element, or in one. */
export function referredBy(record: StoredVersion, base: string, element?: string): readonly LocalKey[] {
  const { type, text = '{}' } = record;
  return referencesIn(parseStored(text), type).flatMap(({ text: written, path }) => {
    if (element !== undefined && !isIn(path, `${type}.${element}`)) return [];
    const parsed = parseReference(written);
    return parsed?.kind === 'relative' ? [parsed] : (belowBase(base, written) ?? []);
  });
}

const isIn = (path: string, element: string): boolean =>
  path === element || path.startsWith(`${element}.`) || path.startsWith(`${element}[`);

/** The most records whose newest Provenance is looked for. */
const mostTargets = 1_000_000;

/**
 * The Provenance resources of an export, in pages: those about a record of the level; with `includeAssociatedData`
 * those about a record in the output, all of them or the newest of each.
 * https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters
 */
export async function* provenanceOf(
  task: ExportTask,
  selection: Selection,
  partition: Partition,
): AsyncIterable<readonly MomentRecord[]> {
  const { provenance, moment, since } = task;
  const newest = provenance === 'latest' ? await newestOf(task, selection, partition) : undefined;
  const scope = { type: 'Provenance', moment, since: provenance === 'usual' ? since : undefined };
  for await (const { records } of partition.at(scope)) {
    if (newest !== undefined) {
      yield records.filter(({ id }) => newest.has(id));
      continue;
    }
    const about = await targetsOf(records.filter(selection.isOpen), task, selection, partition);
    yield records.filter(({ id }) => about.has(id));
  }
}

/** The ids of the newest Provenance of each record in the output. */
async function newestOf(task: ExportTask, selection: Selection, partition: Partition): Promise<ReadonlySet<string>> {
  const latest = new Map<string, { readonly id: string; readonly lastUpdated: number }>();
  for await (const { records } of partition.at({ type: 'Provenance', moment: task.moment })) {
    const about = await targetsOf(records.filter(selection.isOpen), task, selection, partition);
    for (const { id, lastUpdated } of records)
      for (const target of about.get(id) ?? []) {
        const known = latest.get(target);
        if (
          known === undefined ||
          known.lastUpdated < lastUpdated ||
          (known.lastUpdated === lastUpdated && known.id < id)
        )
          latest.set(target, { id, lastUpdated });
      }
    if (latest.size > mostTargets)
      throw fhirError(403, 'too-costly', `More than ${mostTargets} records have a Provenance: export all of them.`);
  }
  return new Set(Array.from(latest.values(), ({ id }) => id));
}

/** The targets of Provenance resources that belong to the export, by their ids; those without any are absent. */
async function targetsOf(
  records: readonly MomentRecord[],
  { base, moment, since, provenance }: ExportTask,
  selection: Selection,
  partition: Partition,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const targets = records.map(record => ({ id: record.id, of: referredBy(record, base, 'target') }));
  const belonging = new Set<string>();
  for (const [type, of] of Map.groupBy(
    targets.flatMap(one => one.of),
    one => one.type,
  )) {
    const ids = Array.from(new Set(of.map(({ id }) => id)));
    for await (const page of partition.at({ type, moment, ids }))
      for (const record of page.records) {
        const isInOutput = selection.isSelected(record) && (since === undefined || record.lastUpdated > since);
        if (provenance === 'usual' ? selection.isInside(record) : isInOutput) belonging.add(`${type}/${record.id}`);
      }
  }
  const found = new Map<string, readonly string[]>();
  for (const { id, of } of targets) {
    const own = of.map(one => `${one.type}/${one.id}`).filter(key => belonging.has(key));
    if (own.length > 0) found.set(id, own);
  }
  return found;
}

/** Records that are read at once. */
const readAtOnce = 100;

/** Most records that are added because others refer to them. */
const mostSupporting = 2_000_000;

/**
 * The records of supporting types that the output refers to, and those that these refer to, each once. `references`
 * are those of the output.
 */
export async function* supportingRecords(
  { moment, base }: ExportTask,
  selection: Selection,
  partition: Partition,
  references: AsyncIterable<LocalKey>,
): AsyncIterable<readonly MomentRecord[]> {
  const types = new Set(selection.supporting.map(({ name }) => name));
  const seen = new Set<string>();
  let next: LocalKey[] = [];
  const note = (key: LocalKey): void => {
    const name = `${key.type}/${key.id}`;
    if (!types.has(key.type) || seen.has(name)) return;
    if (seen.size >= mostSupporting) throw fhirError(403, 'too-costly', 'The export refers to too many other records.');
    seen.add(name);
    next.push(key);
  };
  for await (const key of references) note(key);
  while (next.length > 0) {
    const some = next;
    next = [];
    for (const [type, of] of Map.groupBy(some, key => key.type))
      for (let at = 0; at < of.length; at += readAtOnce) {
        const ids = of.slice(at, at + readAtOnce).map(({ id }) => id);
        for await (const { records } of partition.at({ type, moment, ids })) {
          const open = records.filter(record => hasText(record) && selection.isOpen(record));
          yield open;
          for (const record of open) for (const key of referredBy(record, base)) note(key);
        }
      }
  }
}

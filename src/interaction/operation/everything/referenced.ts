import { ownersOfRecord, ownerType } from '../../../auth/owned-by.ts';
import { isWithin } from '../../../auth/restrict.ts';
import { belowBase, parseReference } from '../../../fhir/reference.ts';
import { referencesIn } from '../../../indexing/other-references.ts';
import type { Issue } from '../../../fhir/outcome.ts';
import { parseStored, TextDamaged } from '../../../fhir/stored-text.ts';
import { fitting } from '../../../store/port/pages.ts';
import { hasText } from '../../../store/port/records.ts';
import type { StoredVersion, VersionWithText } from '../../../store/port/records.ts';
import { MOST_INCLUDED, readVisible } from '../../search/include.ts';
import type { Included } from '../../search/include.ts';
import type { Includer } from '../../search/joined.ts';
import type { EverythingRequest } from './request.ts';
import type { Step } from './steps.ts';

/**
 * The records that those of a page refer to, in any element, if the caller may read them: not those that are on a page
 * of their own, and not those that belong to other patients than `patients` (undefined for all).
 * https://hl7.org/fhir/R4/patient-operation-everything.html
 */
export async function referencedBy(
  page: readonly StoredVersion[],
  steps: readonly Step[],
  { names, since = 0 }: Pick<EverythingRequest, 'names' | 'since'>,
  patients: ReadonlySet<string> | undefined,
  includer: Includer,
): Promise<Included> {
  const { model, extract, partition } = includer;
  const seen = new Set(page.map(({ type, id }) => `${type}/${id}`));
  const wanted = new Map<string, Set<string>>();
  for (const { type, id } of page.flatMap(record => targetsOf(record, includer))) {
    if (seen.has(`${type}/${id}`) || names?.has(type) === false) continue;
    wanted.set(type, (wanted.get(type) ?? new Set()).add(id));
  }
  const records: StoredVersion[] = [];
  let isCut = false;
  for (const [name, ids] of wanted) {
    const type = model.types.get(name);
    if (type === undefined) continue;
    const step = steps.find(one => one.type === type);
    const { records: found, isCut: isPart } = await readVisible(
      type,
      [...ids].map(id => ({ type: name, id })),
      includer,
    );
    isCut ||= isPart;
    for (const record of found) {
      if (!hasText(record) || record.lastUpdated < since || isOfOthers(record, patients, includer)) continue;
      const isOnAPage = step !== undefined && isWithin(step.query, type, record, extract, partition);
      if (!isOnAPage) records.push(record);
    }
  }
  const shown = records.slice(0, fitting(records, MOST_INCLUDED));
  return { records: shown, warnings: isCut || shown.length < records.length ? [incomplete] : [] };
}

const incomplete: Issue = {
  severity: 'warning',
  code: 'incomplete',
  text:
    `The page refers to more than ${MOST_INCLUDED} records, or to long ones; the rest is left out. ` +
    'Request smaller pages.',
};

/** The type and id of the records of this partition that a record refers to. */
function targetsOf(
  { type, text = '{}' }: StoredVersion,
  { base }: Includer,
): readonly { readonly type: string; readonly id: string }[] {
  let resource: unknown;
  try {
    resource = parseStored(text);
  } catch (error) {
    if (error instanceof TextDamaged) return []; // reported with the page
    throw error;
  }
  return referencesIn(resource, type).flatMap(({ text: written }) => {
    const parsed = parseReference(written);
    if (parsed?.kind === 'relative') return [parsed];
    return belowBase(base, written) ?? [];
  });
}

/** Whether a record belongs to patients, none of whom is among these. */
function isOfOthers(record: VersionWithText, patients: ReadonlySet<string> | undefined, includer: Includer): boolean {
  if (patients === undefined) return false;
  const owners = patientsOf(record, includer);
  return owners.length > 0 && !owners.some(id => patients.has(id));
}

/** The ids of the patients to whom a record belongs; a patient belongs to itself. */
export function patientsOf(record: VersionWithText, includer: Includer): readonly string[] {
  const type = includer.model.types.get(record.type);
  if (type === undefined) return [];
  return record.type === ownerType(includer.model) ? [record.id] : ownersOfRecord(type, record, includer);
}

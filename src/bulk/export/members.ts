import type { Access } from '../../auth/access.ts';
import { ownerType } from '../../auth/owned-by.ts';
import { isWithin, restriction } from '../../auth/restrict.ts';
import { fhirError } from '../../fhir/error.ts';
import { parseInstantRange } from '../../fhir/instant-range.ts';
import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { belowBase, parseReference } from '../../fhir/reference.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { ExportTask } from './task.ts';

/** Most members of a Group with those of the Groups in it. */
const mostMembers = 1_000_000;

/**
 * The ids of the patients who were members of a Group at the moment of the export: not inactive, and their period not
 * over. A Group that is a member is replaced by its members; one that the caller may not read has none.
 */
export async function membersOf(
  { model, extract }: Pick<Engine, 'model' | 'extract'>,
  { group = '', moment, base }: Pick<ExportTask, 'group' | 'moment' | 'base'>,
  access: Access,
  partition: Partition,
): Promise<ReadonlySet<string>> {
  const owner = ownerType(model);
  const type = model.types.get('Group');
  const members = new Set<string>();
  if (type === undefined) return members;
  const rule = restriction(access, type, 'r');
  const seen = new Set([group]);
  for (let next = [group]; next.length > 0;) {
    const inside: string[] = [];
    for await (const { records } of partition.at({ type: type.name, moment, ids: next }))
      for (const record of records) {
        if (!hasText(record) || !isWithin(rule, type, record, extract, partition)) continue;
        const resource = parseStored(record.text);
        if (!isObject(resource) || resource['actual'] === false) continue;
        for (const member of objectsOf(resource['member'])) {
          if (!isMember(member, moment, partition.settings.zone)) continue;
          const found = referenceOf(member, base);
          if (found?.type === owner && found !== undefined) members.add(found.id);
          else if (found?.type === type.name && !seen.has(found.id)) {
            seen.add(found.id);
            inside.push(found.id);
          }
        }
      }
    if (members.size > mostMembers || seen.size > mostMembers)
      throw fhirError(
        403,
        'too-costly',
        `The Group has more than ${mostMembers} members: export all patients instead.`,
      );
    next = inside;
  }
  return members;
}

function isMember({ inactive, period }: JsonObject, moment: number, zone: string): boolean {
  if (inactive === true) return false;
  const end = isObject(period) ? asString(period['end']) : undefined;
  const range = end === undefined ? undefined : parseInstantRange(end, zone);
  return range === undefined || range.high > moment;
}

function referenceOf({ entity }: JsonObject, base: string): { readonly type: string; readonly id: string } | undefined {
  const text = isObject(entity) ? (asString(entity['reference']) ?? '') : '';
  const parsed = parseReference(text);
  return parsed?.kind === 'relative' ? parsed : belowBase(base, text);
}

import type { Access } from '../../auth/access.ts';
import { ownedBy, ownerType } from '../../auth/owned-by.ts';
import { isWithin, restriction } from '../../auth/restrict.ts';
import type { Letter } from '../../auth/scope.ts';
import { fhirError } from '../../fhir/error.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import { belowBase, isId, parseReference } from '../../fhir/reference.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import type { Engine, FhirRequest } from '../../interaction/interaction.ts';
import type { Arguments } from '../../interaction/operation/arguments.ts';
import { compartmentQuery } from '../../interaction/search/searched.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { VersionWithText } from '../../store/port/records.ts';
import { shorten } from '../../validation/report.ts';
import { membersOf } from '../export/members.ts';

/**
 * The ids of the patients in `patient`, and of the members of the Groups in `group`; undefined if neither is sent.
 * `moment` is a moment of the store. Throws FhirError 400 for a record that does not exist, or that the caller may not
 * see, alike. https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLRun.html
 */
export async function patientsOf(
  engine: Engine,
  caller: Pick<FhirRequest, 'access' | 'base'>,
  partition: Partition,
  given: Pick<Arguments, 'all'>,
  moment: () => Promise<number>,
): Promise<ReadonlySet<string> | undefined> {
  const [patients, groups] = [given.all('patient'), given.all('group')];
  if (patients.length + groups.length === 0) return undefined;
  const { access, base } = caller;
  const owner = ownerType(engine.model);
  const found = new Set<string>();
  for (const value of patients) {
    const id = idIn(value, owner, base, 'patient');
    const isContext = access !== 'open' && access.patient === id;
    const record = await find(engine, partition, access, owner, id, isContext ? 'all' : ['r', 's']);
    if (record === undefined) throw missing('patient', `${owner}/${id}`);
    found.add(id);
  }
  for (const value of groups) {
    const id = idIn(value, groupType, base, 'group');
    const record = await find(engine, partition, access, groupType, id, ['r']);
    if (record === undefined) throw missing('group', `${groupType}/${id}`);
    const group = parseStored(record.text);
    if (isObject(group) && group['type'] !== 'person')
      throw fhirError(400, 'invalid', `${groupType}/${id} is no group of persons: name one of them.`, 'group');
    const task = { group: id, moment: await moment(), base };
    for (const member of await membersOf(engine, task, access, partition)) found.add(member);
  }
  return found;
}

const groupType = 'Group';

function idIn(value: unknown, type: string | undefined, base: string, parameter: string): string {
  const text = (isObject(value) ? asString(value['reference']) : undefined) ?? '';
  const parsed = parseReference(text);
  const named = parsed?.kind === 'relative' ? parsed : belowBase(base, text);
  if (named !== undefined && named.type === type) return named.id;
  if (isId(text)) return text;
  const wanted = type === undefined ? 'none can be named here' : `write \`${type}/id\``;
  throw fhirError(400, 'invalid', `\`${shorten(text)}\` is no reference of this server: ${wanted}.`, parameter);
}

/** A record that the caller may see by one of the letters. */
async function find(
  { model, extract }: Pick<Engine, 'model' | 'extract'>,
  partition: Partition,
  access: Access,
  name: string | undefined,
  id: string,
  letters: readonly Letter[] | 'all',
): Promise<VersionWithText | undefined> {
  const type = model.types.get(name ?? '');
  const record = type && (await partition.read(type.name, id));
  if (type === undefined || record === undefined || !hasText(record)) return undefined;
  if (letters === 'all') return record;
  const isOpen = letters.some(letter => isWithin(restriction(access, type, letter), type, record, extract, partition));
  return isOpen ? record : undefined;
}

const missing = (parameter: string, name: string) =>
  fhirError(400, 'not-found', `${name} does not exist here: name another, or omit it.`, parameter);

/** The query of the records of a type that belong to a patient; undefined if those of the type belong to none. */
export function ofPatient(
  { model }: Pick<Engine, 'model'>,
  type: ResourceType,
  base: string,
  id: string,
): Query | undefined {
  const owner = ownerType(model);
  if (owner !== undefined && (type.name === owner || type.compartmentLinks.has(owner)))
    return simplify(compartmentQuery(type, { type: owner, id }, base));
  return ownedBy({ model, base }, type, id);
}

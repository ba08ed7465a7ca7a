import { ownerType } from '../../auth/owned-by.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import type { Access } from '../../auth/access.ts';
import { badValue, fhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import { declaredType } from '../../interaction/declared.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction/interaction.ts';
import { startJob } from '../../interaction/jobs.ts';
import { readArgumentsBesideSearch } from '../../interaction/operation/arguments.ts';
import { findVisible } from '../../interaction/read.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { parseExport } from './parameters.ts';
import { membersOf } from './members.ts';
import { accessOf, callerOf } from './task.ts';
import type { ExportTask } from './task.ts';
import { createSelection } from './selection.ts';

/** The kind of the jobs of exports. */
export const exportKind = 'export';

/**
 * `$export` of the system, of all patients or of a Group: 202 with the URL of the job. What is exported is decided
 * here, at a moment of the store: all that was acknowledged before.
 * https://hl7.org/fhir/uv/bulkdata/STU2/export.html#bulk-data-kick-off-request
 */
export const kickOff: Interaction = async (engine, request, partition) => {
  const plus = new Set(['_outputFormat', '_since']);
  // An unescaped plus is a space in a query.
  const parameters = request.parameters.map(
    ([name, value]) => [name, plus.has(name) ? value.replaceAll(' ', '+') : value] as const,
  );
  const { given, others } = readArgumentsBesideSearch(engine, { ...request, parameters });
  const level = request.resourceType === undefined ? 'system' : request.id === undefined ? 'patient' : 'group';
  const caller = callerOf(request.access);
  const place = { model: engine.model, base: request.base, partition: partition.id, zone: partition.settings.zone };
  const access = accessOf(caller, { ...place, now: engine.now() });
  if (access !== 'open' && access.grants.length === 0) throw noSystemScope(request.base);
  const asked = parseExport(engine, { ...request, access, level }, partition, given, others);
  const group = level === 'group' ? await requireGroup(engine, request, access, partition) : undefined;
  const moment = await partition.moment();
  const task: ExportTask = {
    ...asked,
    request: urlOf(request),
    base: request.base,
    partition: partition.id,
    level,
    group,
    moment,
    caller,
    isForClients: true,
  };
  await requirePatients(engine, task, access, partition);
  const answer = await startJob(engine, request, exportKind, task);
  return { ...answer, ...(asked.patients === undefined ? {} : { patients: asked.patients }) };
};

const noSystemScope = (base: string) =>
  scopeInsufficient(base, 'An export needs scopes of the context `system`.', ['system/*.rs']);

/** The full URL of a kick-off; a token is in no URL. */
function urlOf({ base, resourceType, id, method, parameters }: FhirRequest): string {
  const path = [base, resourceType, id, '$export'].filter(part => part !== undefined).join('/');
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString();
  return query === '' || method === 'POST' ? path : `${path}?${query}`;
}

/** The id of the Group. Throws FhirError 403 without a scope to read it, 404 for no Group, 422 for characteristics. */
async function requireGroup(
  engine: Engine,
  request: FhirRequest,
  access: Access,
  partition: Partition,
): Promise<string> {
  const type = declaredType(engine.model, request);
  const { id = '' } = request;
  if (access !== 'open' && access.restrictions.get(type.name)?.r === undefined)
    throw scopeInsufficient(request.base, `The token has no scope to read ${type.name}.`, [`system/${type.name}.rs`]);
  const { text } = await findVisible(engine, type, { partition, access, id });
  const group = parseStored(text);
  if (isObject(group) && group['actual'] === false) {
    const text = `The Group \`${id}\` has characteristics, and no members (\`actual\` is false): none can be exported.`;
    throw fhirError(422, 'business-rule', text);
  }
  return id;
}

/** Throws FhirError 400 for a patient that is not there, or is no member of the Group. */
async function requirePatients(engine: Engine, task: ExportTask, access: Access, partition: Partition): Promise<void> {
  const { patients, moment } = task;
  const owner = engine.model.types.get(ownerType(engine.model) ?? '');
  if (patients === undefined || owner === undefined) return;
  const selection = createSelection(engine, task, access, partition, undefined);
  const there = new Set<string>();
  for await (const { records } of partition.at({ type: owner.name, moment, ids: patients }))
    for (const record of records) if (selection.isOpen(record)) there.add(record.id);
  const members = task.level === 'group' ? await membersOf(engine, task, access, partition) : undefined;
  const missing = patients.find(id => !there.has(id) || members?.has(id) === false);
  if (missing === undefined) return;
  const what = there.has(missing) ? 'is no member of the Group' : 'does not exist here';
  throw badValue('patient', `${owner.name}/${missing} ${what}; name others, or omit it.`);
}
